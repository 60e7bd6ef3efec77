// SPDX-License-Identifier: GPL-2.0-or-later
/* leaker.c with other function names, so that the kernel can load it at the same addresses. */
#define NAME honest
#include "leaker.c"
