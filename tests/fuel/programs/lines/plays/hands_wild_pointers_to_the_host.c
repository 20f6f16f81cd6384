/* Plays only if the host refuses each pointer that leads out of the memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

WASI(fd_write) int32_t host_write(int32_t file, uint32_t parts, uint32_t count, uint32_t written);
WASI(fd_read) int32_t host_read(int32_t file, uint32_t parts, uint32_t count, uint32_t read);
WASI(random_get) int32_t host_random(uint32_t where, uint32_t size);
WASI(clock_time_get) int32_t host_time(int32_t clock, int64_t precision, uint32_t where);
WASI(path_open) int32_t host_open(int32_t folder, int32_t links, uint32_t name, uint32_t length, int32_t flags,
    int64_t rights, int64_t inherited, int32_t more, uint32_t result);

static const uint32_t wild[] = { 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffc, 0xffffffff };

static void refused(int32_t number)
{
    if (number == 0)
        exit(3);
}

int main(void)
{
    char line[100];
    int number;
    uint32_t part[2];

    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        refused(host_write(2, wild[i], 1, (uint32_t) &number));
        refused(host_write(2, (uint32_t) part, 0xffffffff, (uint32_t) &number));
        part[0] = wild[i], part[1] = 0xffffffff;
        refused(host_write(2, (uint32_t) part, 1, (uint32_t) &number));
        refused(host_write(1, (uint32_t) part, 1, wild[i]));
        refused(host_read(0, wild[i], 1, (uint32_t) &number));
        refused(host_random(wild[i], 16));
        refused(host_random(0, 0xffffffff));
        refused(host_time(0, 0, wild[i]));
        refused(host_open(3, 0, wild[i], 100, 0, 0, 0, 0, (uint32_t) &number));
        refused(host_open(3, 0, (uint32_t) "x", 1, 0, 0, 0, 0, wild[i]));
    }
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
