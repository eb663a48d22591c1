#ifndef DAYBOOK_CLINUX_SHIM_H
#define DAYBOOK_CLINUX_SHIM_H

#include <sys/prctl.h>

// prctl takes arguments of any number, which Swift can't call.

// Nobody but root may look into this process's memory, and it leaves no core (prctl(2)).
static inline int daybook_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#endif
