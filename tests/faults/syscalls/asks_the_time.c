/* Says what each way of asking for the time answers, how long waits last, and then executes its arguments, if any. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static struct timespec in_20_ms(void) {
    struct timespec then;
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_nsec += 20000000L;
    then.tv_sec += then.tv_nsec / 1000000000L;
    then.tv_nsec %= 1000000000L;
    return then;
}

static void wait_in_every_way(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec rest = {0, 20000000L};
    double began = monotonic();
    struct timespec until = in_20_ms(), given = until;
    pthread_mutex_lock(&mutex);
    int late = pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT;
    printf("condition %d %.4f\n", late, monotonic() - began);
    in_20_ms();
    printf("given back %d 0.02\n", given.tv_sec == until.tv_sec && given.tv_nsec == until.tv_nsec);
    began = monotonic();
    until = in_20_ms();
    late = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0;
    printf("until %d %.4f\n", late, monotonic() - began);
    began = monotonic();
    late = nanosleep(&rest, NULL) == 0;
    printf("for %d %.4f\n", late, monotonic() - began);
}

int main(int count, char **arguments) {
    struct timespec now, coarse;
    struct timeval day;
    if (count > 1 && arguments[1][0] == '-') {
        wait_in_every_way();
        return 0;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
    gettimeofday(&day, NULL);
    printf("%ld.%09ld %ld.%09ld %ld.%06ld %ld %.6f\n", (long)now.tv_sec, now.tv_nsec, (long)coarse.tv_sec,
           coarse.tv_nsec, (long)day.tv_sec, (long)day.tv_usec, (long)time(NULL), monotonic());
    fflush(stdout);
    if (count > 1) execv(arguments[1], arguments + 1);
    return 0;
}
