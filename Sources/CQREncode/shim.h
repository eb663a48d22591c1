#ifndef DAYBOOK_CQRENCODE_SHIM_H
#define DAYBOOK_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
