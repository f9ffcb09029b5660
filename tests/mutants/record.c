/* Recorded files with something wrong in them and a checksum that is right: refused, or of no harm
 * to whatever is done with them.
 *
 *     mutants SECONDS SEED [on]
 *
 * makes a few small runs, then changes the files of SEED, SEED + 1, … for so many seconds (0: one)
 * and stops at the first that a child process did not survive; with `on` it counts and continues. A
 * failure prints its seed, so that `mutants 0 SEED` shows it again. */
#include "base/random.h"
#include "base/threads.h"
#include "mutants/runs.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SECONDS_HUNG 60
#define MEMORY_MOST ((rlim_t)3 << 30)
/* A seed's random numbers, one after the other. */
typedef struct generator {
    uint64_t seed, rolled;
} generator;

static uint32_t roll(generator *d)
{
    return rp_random(d->seed, RP_RANDOM_TEST, d->rolled++).bits[0];
}

static size_t below(generator *d, size_t count)
{
    return count ? roll(d) % count : 0;
}

/* --- changes ---------------------------------------------------------------------------------- */

static void put_value(generator *d, char *at)
{
    static const uint64_t words[] = {0, 1, 2, 255, 65535, 65536, UINT32_MAX, INT64_MAX, UINT64_MAX};
    static const double reals[] = {NAN,    INFINITY, -INFINITY, 0,    -0.0, -1,
                                   1e-300, 1e9,      1e11,      1e18, 1e38, 1e300};
    uint32_t choice = roll(d);
    uint64_t word = words[below(d, sizeof words / sizeof *words)];
    double real = reals[below(d, sizeof reals / sizeof *reals)];
    float narrow = fabs(real) <= 1e38 ? (float)real : (float)copysign(INFINITY, real);
    switch (choice % 6) {
    case 0:
        memcpy(at, &real, 8);
        break;
    case 1:
        memcpy(at, &narrow, 4);
        break;
    case 2:
        memcpy(at, &word, (size_t)1 << below(d, 4));
        break;
    case 3:
        at[below(d, 8)] ^= (char)(1 << below(d, 8));
        break;
    case 4:
        for (int i = 0; i < 4; i++)
            at[i] = (char)roll(d);
        break;
    default:
        memset(at, (int)below(d, 2) * 255, 8);
    }
}

/* HDF5's signatures, to find its own numbers. */
static size_t marked_place(generator *d, const char *bytes, size_t size)
{
    static const char *const marks[] = {"TREE", "SNOD", "HEAP",  "unit", "index",   "count",
                                        "time", "kind", "frame", "HDF",  "spacing", "deflate"};
    const char *mark = marks[below(d, sizeof marks / sizeof *marks)];
    size_t at = RP_CHECKSUM_BYTES;
    for (size_t skip = below(d, 30); skip < 30; skip++) {
        const char *found = memmem(bytes + at, size - at, mark, strlen(mark));
        if (!found) break;
        at = (size_t)(found - bytes) + 1;
    }
    return at - 1 + below(d, 64);
}

/* Eight bytes at a place of it all, of the start where headers are, or close to a mark. */
static void change_once(generator *d, char *bytes, size_t size)
{
    size_t span = size - RP_CHECKSUM_BYTES - 8, at = 0;
    switch (below(d, 4)) {
    case 0:
        at = RP_CHECKSUM_BYTES + below(d, span);
        break;
    case 1:
        at = RP_CHECKSUM_BYTES + below(d, span) / 8 * 8;
        break;
    case 2:
        at = RP_CHECKSUM_BYTES + below(d, span < 4096 ? span : 4096);
        break;
    default:
        at = marked_place(d, bytes, size);
    }
    if (at < RP_CHECKSUM_BYTES || at > size - 8) at = RP_CHECKSUM_BYTES + below(d, span);
    if (below(d, 8))
        put_value(d, bytes + at);
    else
        memmove(bytes + at, bytes + RP_CHECKSUM_BYTES + below(d, span), 8); /* such as an address */
}

/* Now and then longer or shorter, with a superblock that knows. */
static size_t resize(generator *d, char *bytes, size_t size)
{
    if (below(d, 20)) return size;
    uint64_t now = RP_CHECKSUM_BYTES + 96 + below(d, size);
    memcpy(bytes + RP_CHECKSUM_BYTES + 40, &now, sizeof now);
    return (size_t)now;
}

static void write_mutant(generator *d, const victim *v, const char *folder)
{
    char *bytes = calloc(1, 2 * v->size + RP_CHECKSUM_BYTES + 96);
    memcpy(bytes, v->bytes, v->size);
    for (size_t changes = 1 + below(d, 3); changes; changes--)
        change_once(d, bytes, v->size);
    write_victim(v, folder, bytes, resize(d, bytes, v->size));
    free(bytes);
}

/* --- cases ------------------------------------------------------------------------------------ */

static void limit_child(void)
{
#if !defined(__SANITIZE_ADDRESS__)
    struct rlimit memory = {MEMORY_MOST, MEMORY_MOST};
    setrlimit(RLIMIT_AS, &memory);
#endif
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    alarm(SECONDS_HUNG);
}

/* A child's status: 0 when it survived. */
static int try_seed(uint64_t seed)
{
    generator d = {.seed = seed};
    const victim *v = &victims[below(&d, victim_count)];
    char run[PATH_BYTES], folder[PATH_BYTES];
    begin_case(v, run, folder);
    write_mutant(&d, v, run);
    pid_t child = fork();
    if (child == 0) {
        limit_child();
        use_run(v, run, folder);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status)
        fprintf(stderr, "seed %" PRIu64 ": %s of run %zu, status %d\n", seed, files[v->file].name,
                v->run, status);
    end_case(v);
    return status;
}

/* In a child: a program that forks has no threads to lose. */
static void make_runs(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        pid_t child = fork();
        if (child == 0) {
            make_run(i);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        require(status == 0, "a run is made");
        take_files(i);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10, start = rp_clock();
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, seed = first, failed = 0;
    bool on = argc > 3;
    make_base();
    make_runs();
    do {
        failed += try_seed(seed++) != 0;
    } while (rp_clock() - start < seconds && (on || !failed));
    printf("%" PRIu64 " files, %" PRIu64 " not survived\n", seed - first, failed);
    drop_runs();
    return failed != 0;
}
