/* Loaded before the program's libraries in tests: steps its clock, and makes what it stores fail. A file in the folder that
   TAISAI_FAULTS names says which: "clock" (seconds to add), "full" (nothing can be written), "flush" (no flush succeeds). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int fault(const char *name, char *text, size_t size) {
    const char *folder = getenv("TAISAI_FAULTS");
    char path[512];
    if (!folder) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (text && !fgets(text, (int)size, file)) text[0] = 0;
    fclose(file);
    return 1;
}

static int is_store(int fd) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "journal.db") != NULL;
}

static int fails(const char *name, int fd, int error) {
    int kept = errno;
    if (is_store(fd) && fault(name, NULL, 0)) {
        errno = error;
        return 1;
    }
    errno = kept;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int done = (int)syscall(SYS_clock_gettime, clock, time);
    char text[32] = "";
    if (done == 0 && clock == CLOCK_REALTIME && fault("clock", text, sizeof text)) time->tv_sec += atol(text);
    return done;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return fails("full", fd, ENOSPC) ? -1 : NEXT(pwrite)(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    return fails("full", fd, ENOSPC) ? -1 : NEXT(pwrite64)(fd, bytes, size, at);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return fails("full", fd, ENOSPC) ? -1 : syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd) {
    return fails("flush", fd, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    return fails("flush", fd, EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}
