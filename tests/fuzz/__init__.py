"""What holds for any bytes at each boundary, as functions that a fuzzer and a quick test share."""
