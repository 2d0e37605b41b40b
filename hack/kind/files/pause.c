/* The process that holds a pod's namespaces open: it sleeps, buries the pod's orphans, and goes when it is told to. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &awaited, NULL) != 0) return EXIT_FAILURE;
    for (;;) {
        int arrived = 0;
        if (sigwait(&awaited, &arrived) != 0) return EXIT_FAILURE;
        if (arrived != SIGCHLD) return EXIT_SUCCESS;
        while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    }
}
