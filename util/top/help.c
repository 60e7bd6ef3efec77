// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/help.h"

const char top_help[] =
	"\n"
	"  s > right      sort by the next column       r   the other way round\n"
	"  < left         by the one before\n"
	"  g, G           next, previous grouping       1 to 9   the first, second, ...\n"
	"  a              slab or page allocator\n"
	"  t              sums since the start, or rates of the last interval\n"
	"  space p        pause: counting goes on, the screen stands still\n"
	"  / f            only rows whose name contains what you type\n"
	"  up down j k    choose a row; page up, page down, home, end\n"
	"  enter          the row's call stacks, and who it is\n"
	"  escape         back; no filter; no row chosen\n"
	"  ? h            this page                      q   quit\n"
	"\n"
	"Rates are those of the last interval. Live is what was allocated since top\n"
	"started and is not freed; what was allocated before is not known. Growth is how\n"
	"fast live bytes changed over the last 16 intervals, which the sparkline shows:\n"
	"each row's highest is the top of its own.\n"
	"\n"
	"\"[others]\" are processes that ended, and stacks that were not seen for long:\n"
	"their figures stay in the sums, their names are given back.\n";
