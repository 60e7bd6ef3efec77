/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions inlined from a header have lines of another file. */
#ifndef PROGRAMS_INLINED_H
#define PROGRAMS_INLINED_H

static inline unsigned int scaled(unsigned int n)
{
	if (n > 1000)
		n /= 3;
	return n * 7;
}

#endif
