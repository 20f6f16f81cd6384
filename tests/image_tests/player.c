/* A player in an image, with one bad habit per word of its entrypoint; what it prints is its move. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void says(int count, char **words)
{
    for (int i = 0; i < count; i++)
        printf("%s%s", i ? "|" : "", words[i]);
    printf("\n");
}

static void tells(void)
{
    char folder[256];
    printf("%s %s %s %s %d %d\n", getcwd(folder, sizeof folder), getenv("HOME"), getenv("TMPDIR"),
           getenv("COLOUR") ? getenv("COLOUR") : "-", getuid(), getgid());
}

static void writes(void)
{
    static const char *const places[] = {
        "/x", "/player", "/etc/x", "/dev/x", "/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger", "/tmp/x"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (open(places[i], O_WRONLY | O_CREAT, 0600) >= 0)
            printf("%s ", places[i]);
}

static void remembers(void)
{
    printf(open("/tmp/seen", O_CREAT | O_EXCL, 0600) >= 0 ? "new\n" : "seen\n");
}

static void connects(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    int line = socket(AF_INET, SOCK_STREAM, 0);
    printf(connect(line, (struct sockaddr *)&address, sizeof address) ? "alone\n" : "connected\n");
}

static void forks(void)
{
    int children = 0;
    while (children < 1000) {
        pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0)
            pause();
        children++;
    }
    printf("%d\n", children);
    fflush(stdout);
    kill(-1, SIGKILL);
}

static void hoards(int touches)
{
    const size_t mb = 1024 * 1024;
    size_t got = 0;
    for (char *piece; got < 8192 && (piece = malloc(16 * mb)); got += 16)
        if (touches)
            memset(piece, 1, 16 * mb);
    printf("%zu\n", got);
}

static void opens(void)
{
    int count = 0;
    while (count < 100000 && open("/player", O_RDONLY) >= 0)
        count++;
    printf("%d\n", count);
}

static void fills(void)
{
    static char piece[65536];
    int file = open("/tmp/large", O_WRONLY | O_CREAT, 0600);
    long written = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (ssize_t n; (n = write(file, piece, sizeof piece)) > 0;)
        written += n;
    printf("%ld\n", written);
}

static void leaves_a_child(void)
{
    if (fork() == 0) {
        setsid();
        pause();
    }
    printf("done\n");
}

/* Tries to reach bubblewrap's process, which tells how we end: by its memory, its descriptors, its limits. */
static void meddles(void)
{
    struct rlimit none = {0, 0};
    DIR *folder = opendir("/proc/1");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') printf("%s ", entry->d_name);
    if (ptrace(PTRACE_ATTACH, 1, 0, 0) == 0)
        printf("ptrace ");
    if (prlimit(1, RLIMIT_CPU, &none, NULL) == 0)
        printf("limits ");
    if (socket(AF_NETLINK, SOCK_RAW, 0) >= 0)
        printf("netlink ");
    printf("nothing\n");
}

int main(int count, char **words)
{
    const char *habit = count > 1 ? words[1] : "says";
    if (!strcmp(habit, "always")) printf("B\n");
    else if (!strcmp(habit, "says")) says(count - 2, words + 2);
    else if (!strcmp(habit, "tells")) tells();
    else if (!strcmp(habit, "writes")) writes();
    else if (!strcmp(habit, "remembers")) remembers();
    else if (!strcmp(habit, "connects")) connects(words[2]);
    else if (!strcmp(habit, "forks")) forks();
    else if (!strcmp(habit, "hoards")) hoards(1);
    else if (!strcmp(habit, "reserves")) hoards(0);
    else if (!strcmp(habit, "opens")) opens();
    else if (!strcmp(habit, "fills")) fills();
    else if (!strcmp(habit, "leaves a child")) leaves_a_child();
    else if (!strcmp(habit, "meddles")) meddles();
    else if (!strcmp(habit, "sleeps")) sleep(1000);
    else if (!strcmp(habit, "loops")) for (;;) ;
    else if (!strcmp(habit, "floods")) for (;;) printf("C");
    else if (!strcmp(habit, "floods its errors")) { for (int i = 0; i < 200000; i++) fputs("nonsense\n", stderr); printf("C\n"); }
    else if (!strcmp(habit, "pretends")) { fputs("bwrap: execvp /player: the server's fault\n", stderr); return 125; }
    else if (!strcmp(habit, "kills")) kill(-1, SIGKILL), raise(SIGSEGV);
    return 0;
}
