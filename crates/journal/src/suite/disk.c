/* A disk that fails, preloaded under a test process. It watches the files of one folder (DISK_FOLDER):
 *
 * - every write and truncation is undone when the process ends, unless the file was flushed after it;
 * - a file is removed at the end if its folder was not flushed after the file was made or linked there;
 * - the nth write or flush (DISK_AT=write:N or flush:N) fails as DISK_HOW says: "once", "ever", "full" (the disk is full
 *   for ever after), "short" (half of the bytes, then an error), or "stop" (the machine stops there and then);
 * - a flush that failed has lost its bytes for good: no later flush saves them. Whoever flushes the same handle again is
 *   ended with status 10, unless the file's name has DISK_DISPOSABLE in it: what it holds need not last;
 * - DISK_KEEP=1 keeps what was not flushed, as when only the process ends;
 * - DISK_COUNTS names a file that is given the numbers of writes and flushes.
 *
 * Flushes never reach the real disk, which makes thousands of runs affordable. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct undo {
    struct undo *before;
    char path[PATH_MAX];
    off_t offset, size;
    size_t length;
    int lost;
    char old[];
};

struct made {
    struct made *before;
    char path[PATH_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct undo *undone;
static struct made *made;
static long writes, flushes;
static int ended;
static char flush_failed[1024];

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static int (*real_linkat)(int, const char *, int, const char *, int);

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_openat = dlsym(RTLD_NEXT, "openat");
    real_close = dlsym(RTLD_NEXT, "close");
    real_linkat = dlsym(RTLD_NEXT, "linkat");
}

/* The path of an open file, if it is one of ours. What SQLite shares between processes (-shm) is not meant to last. */
static int watched(int fd, char *path) {
    const char *folder = getenv("DISK_FOLDER");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (!folder || ended || length < 0)
        return 0;
    path[length] = 0;
    if (length > 4 && strcmp(path + length - 4, "-shm") == 0)
        return 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static void end(void) {
    if (ended)
        return;
    ended = 1;
    const char *counts = getenv("DISK_COUNTS");
    if (counts) {
        FILE *file = fopen(counts, "w");
        fprintf(file, "%ld %ld\n", writes, flushes);
        fclose(file);
    }
    if (!getenv("DISK_FOLDER") || getenv("DISK_KEEP"))
        return;
    for (struct undo *undo = undone; undo; undo = undo->before) {
        int fd = real_openat(AT_FDCWD, undo->path, O_RDWR);
        if (fd < 0)
            continue;
        if (real_pwrite(fd, undo->old, undo->length, undo->offset) < 0 || real_ftruncate(fd, undo->size) < 0)
            abort();
        close(fd);
    }
    for (struct made *file = made; file; file = file->before)
        unlink(file->path);
}

__attribute__((destructor)) static void finish(void) {
    end();
}

/* Whether this step fails; it may be the last one. What fails is said on the standard output, before anything that
 * follows from it. */
static int fails(const char *kind, long step, const char *path) {
    const char *at = getenv("DISK_AT"), *how = getenv("DISK_HOW");
    size_t length = strlen(kind);
    if (!at || !how || strncmp(at, kind, length) != 0 || at[length] != ':')
        return 0;
    long first = atol(at + length + 1);
    int lasts = strcmp(how, "ever") == 0 || strcmp(how, "full") == 0;
    if (lasts ? step < first : step != first)
        return 0;
    if (strcmp(how, "stop") == 0) {
        end();
        _exit(9);
    }
    char line[PATH_MAX + 32];
    int said = snprintf(line, sizeof line, "failed %s %s\n", kind, path);
    return real_write(STDOUT_FILENO, line, said) == said;
}

/* Remembers what a write of so many bytes, or a truncation, will replace. */
static void remember(int fd, const char *path, off_t offset, size_t length) {
    struct stat status;
    fstat(fd, &status);
    struct undo *undo = malloc(sizeof *undo + length);
    strcpy(undo->path, path);
    undo->offset = offset;
    undo->size = status.st_size;
    undo->lost = 0;
    int reading = real_openat(AT_FDCWD, path, O_RDONLY);
    ssize_t old = pread(reading, undo->old, length, offset);
    close(reading);
    undo->length = old < 0 ? 0 : (size_t)old;
    undo->before = undone;
    undone = undo;
}

static ssize_t put(int fd, const void *bytes, size_t length, off_t offset, int moves) {
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    ssize_t done = -1;
    if (!watched(fd, path)) {
        done = moves ? real_write(fd, bytes, length) : real_pwrite(fd, bytes, length, offset);
    } else {
        struct stat status;
        fstat(fd, &status);
        if (moves)
            offset = fcntl(fd, F_GETFL) & O_APPEND ? status.st_size : lseek(fd, 0, SEEK_CUR);
        int bad = fails("write", ++writes, path);
        int half = bad && strcmp(getenv("DISK_HOW"), "short") == 0;
        int full = bad && strcmp(getenv("DISK_HOW"), "full") == 0;
        if (bad && half)
            length /= 2;
        if (!bad || half) {
            remember(fd, path, offset, length);
            done = moves ? real_write(fd, bytes, length) : real_pwrite(fd, bytes, length, offset);
        }
        if (bad) {
            errno = half || full ? ENOSPC : EIO;
            done = -1;
        }
    }
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    return put(fd, bytes, length, 0, 1);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    return put(fd, bytes, length, offset, 0);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    return put(fd, bytes, length, offset, 0);
}

static int cut(int fd, off_t size) {
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    int done = 0;
    if (watched(fd, path)) {
        struct stat status;
        fstat(fd, &status);
        if (fails("write", ++writes, path)) {
            errno = EIO;
            done = -1;
        } else {
            remember(fd, path, size, status.st_size > size ? status.st_size - size : 0);
        }
    }
    if (done == 0)
        done = real_ftruncate(fd, size);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) {
    return cut(fd, size);
}

int ftruncate64(int fd, off_t size) {
    return cut(fd, size);
}

static int flush(int fd) {
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    int done = 0;
    if (!watched(fd, path)) {
        done = real_fsync(fd);
    } else {
        const char *disposable = getenv("DISK_DISPOSABLE");
        if (flush_failed[fd % sizeof flush_failed] && !(disposable && strstr(path, disposable))) {
            end();
            _exit(10);
        }
        int bad = fails("flush", ++flushes, path);
        flush_failed[fd % sizeof flush_failed] = bad;
        for (struct undo **at = &undone; *at;) {
            struct undo *undo = *at;
            if (strcmp(undo->path, path) != 0) {
                at = &undo->before;
            } else if (bad || undo->lost) {
                undo->lost = 1;
                at = &undo->before;
            } else {
                *at = undo->before;
                free(undo);
            }
        }
        for (struct made **at = &made; *at && !bad;) {
            char *name = strrchr((*at)->path, '/');
            if (strncmp((*at)->path, path, name - (*at)->path) == 0 && path[name - (*at)->path] == 0)
                *at = (*at)->before;
            else
                at = &(*at)->before;
        }
        if (bad) {
            errno = EIO;
            done = -1;
        }
    }
    pthread_mutex_unlock(&lock);
    return done;
}

int fsync(int fd) {
    return flush(fd);
}

int fdatasync(int fd) {
    return flush(fd);
}

int close(int fd) {
    if (fd >= 0)
        flush_failed[fd % sizeof flush_failed] = 0;
    return real_close(fd);
}

static void remember_name(const char *path) {
    struct made *file = malloc(sizeof *file);
    strcpy(file->path, path);
    file->before = made;
    made = file;
}

int linkat(int from, const char *old, int to, const char *name, int flags) {
    const char *folder = getenv("DISK_FOLDER");
    int done = real_linkat(from, old, to, name, flags);
    pthread_mutex_lock(&lock);
    if (done == 0 && folder && strncmp(name, folder, strlen(folder)) == 0)
        remember_name(name);
    pthread_mutex_unlock(&lock);
    return done;
}

static int opened(int folder, const char *name, int flags, mode_t mode) {
    struct stat status;
    int fresh = (flags & O_CREAT) && fstatat(folder, name, &status, 0) != 0;
    int fd = real_openat(folder, name, flags, mode);
    char path[PATH_MAX];
    pthread_mutex_lock(&lock);
    if (fd >= 0 && fresh && watched(fd, path))
        remember_name(path);
    pthread_mutex_unlock(&lock);
    return fd;
}

#define MODE(flags, last, mode) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT) { \
        va_list rest; \
        va_start(rest, last); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) {
    MODE(flags, flags, mode)
    return opened(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags, flags, mode)
    return opened(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags, flags, mode)
    return opened(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags, flags, mode)
    return opened(folder, name, flags, mode);
}
