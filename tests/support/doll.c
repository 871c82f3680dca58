/* A harness of a few system calls. It says "ready" on fd 1 and then does what argv[1] asks:
 *   sleep      wait for ever
 *   leader     end the main thread, leave another one alive
 *   exec       exec "sleep" anew from a second thread, saying "again"
 *   name NAME  call itself NAME, then wait
 *   fds FILE   write which of the descriptors 0 to 99 are open into FILE, exit 4
 *   linger N   start a child, do not reap it for N ms after it ended, then reap it and wait
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;

static void say(const char *word) { if (write(1, word, strlen(word)) < 0) _exit(9); }

static void *wait_for_ever(void *nothing) { say("ready\n"); for (;;) pause(); return nothing; }

static void *exec_again(void *nothing) {
    execl(self, self, "again", (char *)0);
    return nothing;
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "sleep";
    pthread_t thread;
    self = words[0];
    if (!strcmp(what, "leader")) {
        pthread_create(&thread, 0, wait_for_ever, 0);
        pthread_exit(0);
    }
    if (!strcmp(what, "exec")) {
        pthread_create(&thread, 0, exec_again, 0);
        for (;;) pause();
    }
    if (!strcmp(what, "again")) say("again\n");
    if (!strcmp(what, "name")) prctl(PR_SET_NAME, words[2]);
    if (!strcmp(what, "fds")) {
        char seen[101] = {0};
        for (int fd = 0; fd < 100; fd++) seen[fd] = fcntl(fd, F_GETFD) < 0 ? '-' : 'o';
        FILE *file = fopen(words[2], "w");
        fputs(seen, file);
        fclose(file);
        return 4;
    }
    if (!strcmp(what, "linger")) {
        int late = atoi(words[2]);
        pid_t child = fork();
        if (child == 0) { execvp(words[3], words + 3); _exit(9); }
        siginfo_t seen;
        waitid(P_PID, child, &seen, WEXITED | WNOWAIT);
        usleep(late * 1000);
        waitpid(child, 0, 0);
        return 0;
    }
    say("ready\n");
    for (;;) pause();
}
