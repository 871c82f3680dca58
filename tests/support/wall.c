
/* Preloaded: CLOCK_REALTIME is as many seconds ahead as the file $WALL_FILE says, whenever it is
 * asked. Other clocks, and every timer, stay true: libfaketime moves timers of the time since boot
 * along with the wall clock, which no kernel does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long ahead(void) {
    long seconds = 0;
    const char *path = getenv("WALL_FILE");
    FILE *file = path ? fopen(path, "re") : NULL;
    if (file) {
        if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
        fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, found);
    if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += ahead();
    return code;
}

time_t time(time_t *kept) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (kept) *kept = found.tv_sec;
    return found.tv_sec;
}

int gettimeofday(struct timeval *found, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}
