# SPDX-License-Identifier: GPL-2.0-or-later
#
# The whole build.  `make help` lists the targets and the variables.
#
# Sources are found by name (perf.c, builtin-kmem.c, builtin/, util/*/*.c), so a new
# file needs no line here.  Objects go to build/<variant>/; the variant's name consists of the
# variables that change the code (CC, OPT, LTO, SANITIZE, DEVELOPER, WITHOUT), so a sanitizer
# build never mixes with a plain one.  ./perf links to the variant built last.
# With O=DIR everything is built under DIR and nothing is written here.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# CROSS_COMPILE=aarch64-linux-gnu- is the prefix of each tool of the toolchain.  Not all
# systems have a pkg-config with that prefix: if not, set PKG_CONFIG or PKG_CONFIG_LIBDIR.
CROSS_COMPILE ?=
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
OBJCOPY    ?= $(CROSS_COMPILE)objcopy
NM         ?= $(CROSS_COMPILE)nm
CLANG      ?= clang
ifeq ($(origin PKG_CONFIG),undefined)
PKG_CONFIG := $(if $(shell command -v $(CROSS_COMPILE)pkg-config 2>/dev/null),$(CROSS_COMPILE))pkg-config
endif
# make exports a variable of its command line to recipes, but not to $(shell).
ifeq ($(origin PKG_CONFIG_LIBDIR),command line)
override PKG_CONFIG := PKG_CONFIG_LIBDIR='$(PKG_CONFIG_LIBDIR)' $(PKG_CONFIG)
endif
ifeq ($(origin CXX),default)
CXX := $(CROSS_COMPILE)g++
endif
PREFIX     ?= /usr/local
DESTDIR    ?=
SANITIZE   ?=
DEVELOPER  ?=
WERROR     ?= $(if $(DEVELOPER),1)
OPT        ?= $(if $(SANITIZE),-O1,-O2)
# perf itself is built with LTO (a tenth faster), the test programs without.
# Not with clang, whose objects need a different linker and archiver.
LTO ?= $(if $(DEVELOPER)$(SANITIZE)$(findstring clang,$(CC)),,$(if $(filter -O2,$(OPT)),-O3 -flto=auto -ffat-lto-objects))

bindir  = $(DESTDIR)$(PREFIX)/bin
man1dir = $(DESTDIR)$(PREFIX)/share/man/man1
datadir = $(DESTDIR)$(PREFIX)/share/perf-kmem
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
# Debian's zsh reads share/zsh/vendor-completions.
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
zshdir  = $(DESTDIR)$(ZSHDIR)
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# $(call completions_of,PROGRAM)
completions_of = $(bashdir)/$(1) $(zshdir)/_$(1) $(fishdir)/$(1).fish

Q := $(if $(V),,@)
silent = $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,printf '  %-8s %s\n' '$(1)' '$(2)';))
comma := ,
empty :=
space := $(empty) $(empty)
define newline


endef

variant := $(notdir $(firstword $(CC)))$(OPT)$(if $(LTO),-lto)$(if $(DEVELOPER),-dev)$(if $(SANITIZE),-$(subst $(comma),+,$(SANITIZE)))$(if \
	$(WITHOUT),-without-$(subst $(comma),-,$(subst $(space),-,$(WITHOUT))))
O       ?=
out     := $(if $(O),$(abspath $(O))/)
builds  := $(if $(O),$(abspath $(O)),build)
BUILD   := $(builds)/$(subst $(space),,$(variant))

# ---- libraries --------------------------------------------------------------
# name|need|macro|what it is for.  If a `required` one is missing the build stops;
# an `optional` one is linked, and its macro defined as 1, if it is found and a
# source in util/ tests the macro; a `tests` one is linked to the unit tests only.

LIBS_TABLE := \
	libtraceevent|required|HAVE_LIBTRACEEVENT|event_formats_of_recordings \
	libzstd|optional|HAVE_LIBZSTD|compressed_recordings \
	zlib|optional|HAVE_ZLIB|compressed_modules_and_kallsyms \
	libelf|optional|HAVE_LIBELF|symbols_of_ELF_files \
	libdw|optional|HAVE_LIBDW|source_lines_from_DWARF \
	liblzma|optional|HAVE_LIBLZMA|symbols_that_stripped_programs_have_kept \
	ncursesw|optional|HAVE_NCURSESW|the_screen_of_perf_kmem_top \
	libiberty|optional|HAVE_LIBIBERTY|names_of_C++_and_Rust \
	libunwind|optional|HAVE_LIBUNWIND|user_stacks_from_registers \
	libbpf|optional|HAVE_LIBBPF|events_of_the_running_kernel \
	d3|optional|HAVE_D3|the_pages_of_--format_html \
	libprotobuf-c|optional|HAVE_PROTOBUF_C|the_profiles_of_--format_pprof \
	cmocka|tests|HAVE_CMOCKA|unit_tests

col = $(word $(2),$(subst |, ,$(1)))
rows = $(foreach r,$(LIBS_TABLE),$(if $(filter $(1),$(call col,$r,2)),$r))

bpf_srcs  := $(wildcard util/*/*.bpf.c)
util_srcs := $(sort $(filter-out $(bpf_srcs),$(wildcard util/*/*.c)))
grep_used  = $(if $(util_srcs),$(shell grep -lw $(1) $(util_srcs) | head -n 1))

# d3 is not a library but scripts, which are put into the program: D3 is where Debian's node-d3 has
# the folders d3-hierarchy and so on.
D3 ?= /usr/share/nodejs
d3_scripts := $(foreach m,path shape hierarchy,$(D3)/d3-$m/dist/d3-$m.min.js)
version_of_d3 = $(if $(filter-out $(wildcard $(d3_scripts)),$(d3_scripts)),,$(shell \
	sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' '$(D3)/d3/package.json' 2>/dev/null))

# libiberty is a library without a version, which pkg-config does not know.
version_of_libiberty = $(shell echo 'int main(void) { return rust_demangle_callback("", 0, 0, 0); }' | \
	$(CC) -include libiberty/demangle.h -x c -o /dev/null - -liberty 2>/dev/null && echo found)
version_of = $(if $(filter d3 libiberty,$(1)),$(version_of_$(1)),$(shell $(PKG_CONFIG) --modversion $(1) 2>/dev/null))

# WITHOUT="libzstd zlib", or WITHOUT=all: build as on a machine without these optional libraries;
# html is another name for d3, protobuf and pprof are others for libprotobuf-c.
without := $(patsubst pprof,libprotobuf-c,$(patsubst protobuf,libprotobuf-c,$(patsubst html,d3,$(subst $(comma), ,$(if $(filter all,$(WITHOUT)),$(foreach r,$(call rows,optional),$(call col,$r,1)),$(WITHOUT))))))
$(foreach r,$(LIBS_TABLE),$(eval found_$(call col,$r,1) := $(if $(filter $(without),$(call col,$r,1)),,$(call \
	version_of,$(call col,$r,1)))))

# libbpf is of use only where the programs for the kernel can be built: clang makes them, in the
# byte order of the machine that they are for, and bpftool (often in a directory that is not
# in everyone's PATH) a header of them, if this machine has that byte order.  Before 1.0 libbpf had a
# different interface.
BPFTOOL ?= $(firstword $(shell command -v bpftool 2>/dev/null) $(wildcard /usr/sbin/bpftool))
ifneq ($(found_libbpf),)
bpf_target := $(if $(shell echo __BYTE_ORDER__ | $(CC) -E -P - | grep -x 4321),bpfeb,bpfel)
found_libbpf := $(if $(filter bpf,$(without)),,$(if $(shell \
	$(PKG_CONFIG) --atleast-version=1.0 libbpf && [ '$(BPFTOOL)' ] && o=$$(mktemp) && \
	echo 'int x;' | $(CLANG) -target $(bpf_target) -g -x c -c -o $$o - 2>/dev/null && \
	'$(BPFTOOL)' gen skeleton $$o 2>/dev/null | tail -n 1; rm -f $$o),$(found_libbpf)))
endif

# libprotobuf-c is of use only with protoc-c, which makes its C.
PROTOC_C ?= protoc-c
ifneq ($(found_libprotobuf-c),)
found_libprotobuf-c := $(if $(shell command -v '$(PROTOC_C)' 2>/dev/null),$(found_libprotobuf-c))
endif

$(foreach r,$(call rows,optional),$(if $(found_$(call col,$r,1)),\
	$(eval used_$(call col,$r,1) := $(call grep_used,$(call col,$r,3)))))

missing := $(foreach r,$(call rows,required),$(if $(found_$(call col,$r,1)),,$(call col,$r,1)))
linked  := $(foreach r,$(call rows,required),$(if $(found_$(call col,$r,1)),$r)) \
	   $(foreach r,$(call rows,optional),$(if $(used_$(call col,$r,1)),$r))
linked_names := $(filter-out d3 libiberty,$(foreach r,$(linked),$(call col,$r,1)))

state = $(if $(found_$(1)),$(found_$(1)),-) $(if $(found_$(1)),$(if $(filter optional,$(2)),$(if \
	$(used_$(1)),linked,unused),$(if $(filter tests,$(2)),found,linked)),missing)
define print_libs
	@printf '  %-14s %-9s %-10s %-8s %s\n' LIBRARY NEED VERSION STATE 'WHAT FOR'
	$(foreach r,$(LIBS_TABLE),@printf '  %-14s %-9s %-10s %-8s %s\n' $(call col,$r,1) \
		$(call col,$r,2) $(call state,$(call col,$r,1),$(call col,$r,2)) \
		'$(subst _, ,$(call col,$r,4))'$(newline))
endef

ifneq ($(linked_names),)
# -isystem: the libraries' headers are not ours to warn about.
lib_cflags := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(linked_names)))
lib_ldlibs := $(shell $(PKG_CONFIG) --libs $(linked_names)) $(if $(used_libiberty),-liberty) -lm -ldl
endif
# the part of it that unwinds what is not in memory
ifneq ($(filter libunwind,$(linked_names)),)
lib_ldlibs += $(shell $(PKG_CONFIG) --libs libunwind-generic)
endif
ifneq ($(found_cmocka),)
# cmocka 2.0 asks for successors of assert_in_range() that older ones lack.
cmocka_cflags := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags cmocka)) -DCMOCKA_DISABLE_DEPRECATION_WARNINGS
cmocka_ldlibs := $(shell $(PKG_CONFIG) --libs cmocka)
endif

# ---- version ----------------------------------------------------------------

version := $(shell cat VERSION)
ifneq ($(wildcard .git),)
version := $(or $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null | sed s/^v//),$(addprefix \
	$(version)-,$(shell git describe --always --dirty --exclude '*' 2>/dev/null)),$(version))
endif

# The commit and its date. A release has them in the file COMMIT, made by `make dist`.
commit := $(if $(wildcard .git),$(shell git log -1 --format='%h %cs' 2>/dev/null),$(shell cat COMMIT 2>/dev/null))

# ---- flags ------------------------------------------------------------------

# A field that an initializer leaves out is zero; this is used deliberately.
warnings := -Wall -Wextra -Wno-missing-field-initializers
ifneq ($(DEVELOPER),)
warnings += -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations \
	-Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 -Wundef \
	-Wredundant-decls -Wnested-externs -Winit-self -Wimplicit-fallthrough \
	-Wdate-time
# Warnings that only one of the two compilers has.
ifneq ($(findstring clang,$(CC)),)
warnings += -Wunreachable-code-break -Wcomma -Wconditional-uninitialized
else
warnings += -Wlogical-op -Wduplicated-cond -Wtrampolines
endif
endif
ifneq ($(WERROR),)
warnings += -Werror
endif

# Recordings may be hostile, and root reads them.  Flags unknown to the compiler are left out; fortified
# functions need optimization, and the sanitizers check more by themselves.
takes_flag = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
harden_cflags := -fPIE $(foreach f,-fstack-protector-strong -fstack-clash-protection \
	-fcf-protection -mbranch-protection=standard,$(call takes_flag,$f)) \
	$(if $(SANITIZE)$(filter -O0,$(OPT))$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
harden_ldflags := -fPIE -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
# The debug information names no folder of the build, so that equal sources give equal programs.
no_paths := $(if $(call takes_flag,-ffile-prefix-map=/nowhere=.),-ffile-prefix-map='$(CURDIR)=.')

# The packager's flags may ask for LTO; the test programs are always built without.
tests_ldflags := -fno-lto
# Hundreds of test programs are linked; ld takes twice as long.
ifeq ($(CROSS_COMPILE),)
tests_ldflags += $(addprefix -fuse-ld=,$(firstword $(foreach l,lld gold,$(if $(shell command -v ld.$l 2>/dev/null),$l))))
endif
CFLAGS  ?=
LDFLAGS ?=
CPPFLAGS ?=
cppflags := -I. $(if $(used_libbpf)$(used_d3)$(used_libprotobuf-c),-isystem $(BUILD)) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 $(foreach r,$(linked),-D$(call col,$r,3)=1) $(CPPFLAGS)
# The user's flags come last and win.
cflags    = -std=gnu11 $(OPT) -g -pthread -fno-strict-aliasing $(harden_cflags) $(warnings) $(no_paths) $(LTO) \
	$(cppflags) $(lib_cflags) $(CFLAGS)
ldflags   = -pthread $(no_paths) $(harden_ldflags) -Wl,--as-needed $(LDFLAGS)
ifneq ($(LTO),)
perf_ldflags  := -flto=auto
endif
ifneq ($(SANITIZE),)
cflags  += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
# Variables without a value have the same one in each run, which is hardly ever the right one by chance.
cflags  += $(call takes_flag,-ftrivial-auto-var-init=pattern)
ldflags += -fsanitize=$(SANITIZE)
endif

# ---- sources ----------------------------------------------------------------

main_src  := $(wildcard perf.c)
lib_srcs  := $(sort $(wildcard builtin-*.c builtin/*.c builtin/*/*.c)) $(util_srcs)
srcs      := $(main_src) $(lib_srcs)
hdrs      := $(sort $(wildcard *.h builtin/*.h builtin/*/*.h util/*/*.h tests/*/*.h))
unit_srcs := $(sort $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c))
fuzz_srcs := $(sort $(wildcard tests/fuzz/fuzz_*.c))
test_srcs := $(sort $(wildcard tests/*/*.c tests/unit/*/*.c))
c_files   := $(srcs) $(test_srcs)
# built by tests/guest/run with the headers of other kernels
module_srcs := $(sort $(wildcard tests/guest/module/*.c))
formatted := $(c_files) $(bpf_srcs) $(module_srcs) $(hdrs)
scripts   := $(sort $(shell grep -lsE '^\#!.*\b(ba)?sh\b' .ci/* scripts/* scripts/*/* tests/*/* 2>/dev/null)) \
	     $(wildcard scripts/completion/*.bash tests/lib.sh scripts/*.sh packaging/PKGBUILD debian/tests/read debian/tests/live)

obj        = $(patsubst %.c,$(BUILD)/%.o,$(1))
lib       := $(BUILD)/libperf.a
perf_bin  := $(BUILD)/perf
perf      := $(out)perf
unit_bins := $(patsubst %.c,$(BUILD)/%,$(unit_srcs))
# Additional sources of a test program: tests/unit/*.c other than test_*.c.
unit_help := $(filter-out $(unit_srcs),$(wildcard tests/unit/*.c)) $(sort $(wildcard tests/fixture/*.c))

# A stamp is rewritten only when its content changes, so what depends on it is
# rebuilt when a flag, the list of sources or the version changes.
define stamp
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || { printf '%s\n' '$(subst ','\'',$(1))' > $@; $(2) }
endef

.PHONY: all config variant print-perf FORCE
all: $(if $(main_src),$(perf) $(out)perf-kmem,$(lib)) man

config:
	$(print_libs)

FORCE:
$(BUILD)/.flags: FORCE
ifneq ($(missing),)
	$(print_libs)
	@echo 'error: missing: $(missing); scripts/install-deps installs what the build needs' >&2; exit 1
endif
	$(call stamp,$(CC) $(cflags) $(ldflags) $(lib_ldlibs),[ '$(silent)' ] || $(MAKE) -s --no-print-directory config;)
$(BUILD)/.sources: FORCE
	$(call stamp,$(lib_srcs),)
$(BUILD)/.version: FORCE
	$(call stamp,$(version) $(commit),)

# perf.c, and whatever else prints the version, is rebuilt when it changes.
version_objs := $(call obj,$(if $(srcs),$(shell grep -lw VERSION $(srcs))))
$(version_objs): $(BUILD)/.version

$(BUILD)/%.o: %.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(cflags) $(obj_cflags) -MMD -MP -c -o $@ $<
$(version_objs): obj_cflags = -DVERSION='"$(version)"' -DCOMMIT='"$(if $(commit),commit $(word 1,$(commit)) of $(word 2,$(commit)))"'
# The sanitizers' code of a test compiles in half the time without optimization; the library is what has to be quick.
$(BUILD)/tests/unit/%.o: obj_cflags = $(cmocka_cflags) $(if $(SANITIZE),-O0 -Wno-maybe-uninitialized)
# Its malloc() is called before ASan is ready for code that is not optimized.
$(BUILD)/tests/unit/test_nomem.o: obj_cflags = $(cmocka_cflags)

# The programs for the kernel, as data in a header.
ifneq ($(used_libbpf),)
bpf_skels := $(patsubst %.bpf.c,$(BUILD)/%.skel.h,$(bpf_srcs))
bpf_cflags = -target $(bpf_target) -mcpu=v3 -ffreestanding -I. -g -O2 -Wall -Wextra -Wno-unused-parameter -Werror \
	-ffile-prefix-map='$(CURDIR)=.' -fdebug-compilation-dir=. $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libbpf))
$(BUILD)/%.bpf.o: %.bpf.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(bpf_cflags) -MMD -MP -c -o $@ $<
$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(call say,SKEL,$@)'$(BPFTOOL)' gen skeleton $< name $(notdir $*)_bpf > $@
# make would delete them as intermediate files, and the next make would compile them again and link everything.
.SECONDARY: $(bpf_skels:.skel.h=.bpf.o)
$(call obj,$(filter $(addsuffix %,$(sort $(dir $(bpf_srcs)))),$(lib_srcs))): $(bpf_skels)
lint-cppcheck lint-tidy compdb: $(bpf_skels)
endif

# The page of --format html, with d3's scripts and ours, as data in a header.
ifneq ($(used_d3),)
html_page := $(BUILD)/util/render/html_page.h
$(html_page): scripts/html-page $(wildcard util/render/html/*) $(d3_scripts) $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,PAGE,$@)scripts/html-page util/render/html $(d3_scripts) > $@
$(call obj,util/render/render_html.c): $(html_page)
lint-cppcheck lint-tidy compdb: $(html_page)
endif

# The messages of --format pprof; what protoc-c makes is not ours to warn about.
ifneq ($(used_libprotobuf-c),)
pprof := $(BUILD)/util/pprof/pprof.pb-c
# Debian sid's protoc-c says that it is deprecated: what it says is of interest if it fails.
$(pprof).c: util/pprof/pprof.proto $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,PROTO,$<)said=$$('$(PROTOC_C)' --proto_path=$(<D) --c_out=$(@D) $< 2>&1) || { echo "$$said" >&2; exit 1; }
$(pprof).h: $(pprof).c
	@touch $@
$(pprof).o: $(pprof).c
	$(call say,CC,$<)$(CC) $(cflags) -w -c -o $@ $<
pprof_obj := $(pprof).o
$(call obj,$(wildcard util/pprof/*.c)): $(pprof).h
lint-headers lint-cppcheck lint-tidy compdb: $(pprof).h
endif

$(lib): $(call obj,$(lib_srcs)) $(pprof_obj) $(BUILD)/.sources
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $(filter %.o,$^)

$(perf_bin): $(call obj,$(main_src)) $(lib)
	$(call say,LINK,$@)$(CC) $(perf_ldflags) $(ldflags) -o $@ $^ $(lib_ldlibs)

# If another variant was built last, `perf` links to that one: set the link each time.
$(perf): $(perf_bin) FORCE
	@[ "$$(readlink $@)" = '$(<:$(out)%=%)' ] || ln -sfn $(<:$(out)%=%) $@
$(out)perf-kmem: FORCE | $(perf)
	@[ "$$(readlink $@)" = perf ] || ln -sfn perf $@

# For scripts: build this variant's binary and leave ./perf alone; print its path.
variant: $(if $(main_src),$(perf_bin),$(lib))
print-perf:
	@echo $(perf_bin)

# ---- tests ------------------------------------------------------------------

$(unit_bins): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(unit_help)) $(lib)
	$(call say,LINK,$@)$(CC) $(ldflags) $(tests_ldflags) -o $@ $^ $(cmocka_ldlibs) $(lib_ldlibs)

# Programs and a library whose addresses are given names by unit tests: as compilers and linkers make
# them, without our flags.
CXX_found := $(shell command -v $(CXX) 2>/dev/null)
programs := $(addprefix $(BUILD)/tests/programs/,pie fixed nofp static packed dwarf4 sections libinlined.so \
	stripped mini $(if $(CXX_found),names))
program_flags_pie      := -fPIE -pie -fno-omit-frame-pointer
program_flags_fixed    := -fno-pie -no-pie -fno-omit-frame-pointer -Wl,-Ttext-segment=0x400000
program_flags_nofp     := -fomit-frame-pointer
program_flags_static   := -static
program_flags_packed   := -gz
program_flags_dwarf4   := -gdwarf-4
program_flags_sections := -ffunction-sections -Wl,--gc-sections
program_flags_libinlined.so := -shared -fPIC -DLIBRARY
$(BUILD)/tests/programs/names: tests/programs/names.cc
	@mkdir -p $(@D)
	$(call say,CXX,$@)$(CXX) -g -O2 -o $@ $<
$(BUILD)/tests/programs/stripped: $(BUILD)/tests/programs/pie
	$(call say,STRIP,$@)$(OBJCOPY) --only-keep-debug $< $@.debug && \
		$(OBJCOPY) --strip-all --add-gnu-debuglink=$@.debug $< $@
# As Fedora ships its programs: functions that .dynsym does not have are in .gnu_debugdata.
$(BUILD)/tests/programs/mini: $(BUILD)/tests/programs/libinlined.so
	$(call say,STRIP,$@)$(NM) -D --defined-only --format=posix $< | cut -d' ' -f1 | sort > $@.dynamic && \
		$(NM) --defined-only --format=posix $< | awk '$$2 ~ /[Tt]/ { print $$1 }' | sort | \
			comm -13 $@.dynamic - > $@.keep && \
		$(OBJCOPY) --only-keep-debug $< $@.debug && \
		$(OBJCOPY) --strip-all --keep-symbols=$@.keep $@.debug $@.debugdata && xz -fk $@.debugdata && \
		$(OBJCOPY) --strip-all --add-section .gnu_debugdata=$@.debugdata.xz $< $@
$(filter-out %/names %/stripped %/mini,$(programs)): $(BUILD)/tests/programs/%: tests/programs/inlined.c tests/programs/inlined.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -I. -g -O2 $(program_flags_$*) -o $@ $<
unit-bins: $(programs)

# Programs of the other test levels: tests/robust/*.c.
robust_bins := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/robust/*.c)))
$(robust_bins): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(wildcard tests/fixture/*.c)) $(lib)
	$(call say,LINK,$@)$(CC) $(ldflags) $(tests_ldflags) -o $@ $^ $(lib_ldlibs)

# Programs of the benchmarks: these have a main(); the other tests/bench/*.c are linked to them.
bench_bins := $(patsubst %,$(BUILD)/tests/bench/%,generate micro live floor touch replay)
bench_help := $(filter-out $(bench_bins:$(BUILD)/%=%.c) tests/bench/deep.c,$(wildcard tests/bench/*.c))
$(bench_bins): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(bench_help)) $(lib)
	$(call say,LINK,$@)$(CC) $(ldflags) $(tests_ldflags) -o $@ $^ $(lib_ldlibs)

# For replaying the fuzz corpora: each fuzz target, with a main() that reads files.
fuzz_replay := $(patsubst %.c,$(BUILD)/%.replay,$(fuzz_srcs))
$(fuzz_replay): $(BUILD)/%.replay: $(BUILD)/%.o $(BUILD)/tests/fuzz/replay.o $(lib)
	$(call say,LINK,$@)$(CC) $(ldflags) $(tests_ldflags) -o $@ $^ $(lib_ldlibs)
fuzz_bins := $(patsubst %.c,$(BUILD)/%,$(fuzz_srcs))
$(fuzz_bins): $(BUILD)/%: $(BUILD)/%.o $(lib)
	$(call say,LINK,$@)$(CC) $(ldflags) $(tests_ldflags) -fsanitize=fuzzer -o $@ $^ $(lib_ldlibs)

levels := golden manual compare robust live html
.PHONY: check check-unit check-fuzz robust-bins unit-bins unit-objs print-unit fuzz-replay fuzz-bins print-fuzz fuzz bench \
	$(addprefix check-,$(levels) guest peers)
check: check-unit $(addprefix check-,$(levels)) check-fuzz

variant check-robust: robust-bins
robust-bins: $(robust_bins)
unit-bins: $(unit_bins)
# Compiled, for the warnings of another compiler.
unit-objs: $(unit_bins:=.o) $(call obj,$(unit_help))
print-unit:
	@printf '%s\n' $(unit_bins)
check-unit: unit-bins
	$(Q)$(if $(found_cmocka),,echo 'unit tests need cmocka: scripts/install-deps --tests' >&2; exit 1;) \
	rc=0; for t in $(unit_bins); do $$t || rc=1; done; exit $$rc

# check does not include guest and peers, which download kernels and a perf
$(addprefix check-,$(levels) guest peers): check-%: $(if $(main_src),$(perf))
	$(Q)if [ -x tests/$*/run ]; then PERF='$(abspath $(perf))' tests/$*/run; else echo 'tests/$*: no such tests yet'; fi

fuzz-replay: $(fuzz_replay)
print-fuzz:
	@printf '%s\n' $(fuzz_replay)
ifeq ($(fuzz_srcs),)
check-fuzz fuzz:
	@echo 'tests/fuzz: no fuzz targets yet'
else
check-fuzz:
	$(Q)$(MAKE) --no-print-directory SANITIZE=address,undefined fuzz-replay
	$(Q)rc=0; for t in $$($(MAKE) -s SANITIZE=address,undefined print-fuzz); do \
		n=$$(basename $$t .replay); n=$${n#fuzz_}; \
		if [ $$n = elf ]; then dir=$$($(MAKE) -s SANITIZE=address,undefined fuzz-elf); \
		else dir=tests/fuzz/corpus/$$n; fi; $$t $$dir/* || rc=1; done; exit $$rc

FUZZ_SECONDS ?= 60
fuzz_make = $(MAKE) --no-print-directory CC='$(CLANG)' SANITIZE=fuzzer-no-link,address,undefined
fuzz:
	$(Q)$(fuzz_make) fuzz-bins
	$(Q)for s in $(basename $(notdir $(fuzz_srcs))); do n=$${s#fuzz_}; echo "  FUZZ     $$n"; \
		mkdir -p $(builds)/fuzz/$$n; \
		$$($(fuzz_make) -s print-variant)/tests/fuzz/$$s -max_total_time=$(FUZZ_SECONDS) \
			-artifact_prefix=$(builds)/fuzz/$$n- $(builds)/fuzz/$$n \
			$$(if [ $$n = elf ]; then $(fuzz_make) -s fuzz-elf; else echo tests/fuzz/corpus/$$n; fi) || exit 1; done
endif
fuzz-bins: $(fuzz_bins)
# Makes the inputs of fuzz_elf and prints their folder.
.PHONY: fuzz-elf
fuzz-elf:
	@tests/fuzz/make-elf '$(abspath $(BUILD))/tests/fuzz/elf' && echo '$(BUILD)/tests/fuzz/elf'
.PHONY: print-variant
print-variant:
	@echo $(BUILD)

.PHONY: bench-record bench-report bench-pages bench-micro bench-bins print-bench
bench-bins: $(bench_bins) $(BUILD)/tests/bench/deep
print-bench:
	@printf '%s\n' $(bench_bins)
bench: $(perf) $(BUILD)/tests/bench/generate
	$(Q)PERF='$(abspath $(perf))' tests/bench/read $(BUILD)/tests/bench/generate
# The program that bench-report records: it has frame pointers, and calls where it could jump; without discriminators
# of DWARF 4, which stock prints behind source lines.
$(BUILD)/tests/bench/deep: tests/bench/deep.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -gdwarf-3 -gstrict-dwarf -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<
bench-report: $(perf) $(BUILD)/tests/bench/deep
	$(Q)PERF='$(abspath $(perf))' tests/bench/report $(BUILD)/tests/bench/deep
bench-record: $(perf)
	$(Q)PERF='$(abspath $(perf))' tests/bench/record
bench-pages: $(perf) $(BUILD)/tests/bench/generate
	$(Q)PERF='$(abspath $(perf))' tests/bench/pages $(BUILD)/tests/bench/generate
bench_micro_data := $(addprefix $(BUILD)/tests/bench/,slab.data page.data)
$(bench_micro_data): %.data: $(BUILD)/tests/bench/generate
	$(Q)rm -f $@; $< -n 300000 $(basename $(notdir $@)) $@
bench-micro: $(BUILD)/tests/bench/micro $(bench_micro_data)
	$(Q)$^

# The source of a release, with its checksum: the files of HEAD, and COMMIT. Equal commits give equal archives.
.PHONY: dist
dist_name := perf-kmem-$(shell cat VERSION)
dist:
	$(Q)mkdir -p $(builds)/dist && rm -rf $(builds)/dist/$(dist_name)*
	$(Q)git archive --prefix=$(dist_name)/ HEAD -- . ':!debian' | tar -x -C $(builds)/dist
	$(Q)git log -1 --format='%h %cs' >$(builds)/dist/$(dist_name)/COMMIT
	$(Q)cd $(builds)/dist && tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w \
		--mtime=@$(shell git log -1 --format=%ct) $(dist_name) | xz -6 -T1 >$(dist_name).tar.xz && \
		rm -rf $(dist_name) && sha256sum $(dist_name).tar.xz | tee $(dist_name).tar.xz.sha256

# The libraries of this build, as SPDX.
.PHONY: sbom
sbom:
	@scripts/sbom '$(version)' '$(word 2,$(commit))' $(foreach r,$(linked),'$(call col,$r,1)=$(found_$(call col,$r,1))')

# ---- lint -------------------------------------------------------------------

JOBS ?= $(shell nproc 2>/dev/null || echo 1)
CLANG_FORMAT ?= clang-format
CLANG_TIDY   ?= clang-tidy
CPPCHECK     ?= cppcheck
SHELLCHECK   ?= shellcheck
ESLINT       ?= eslint

# The schema of the JSON reports, from what ./perf writes.
.PHONY: schema
schema: $(perf)
	$(call say,SCHEMA,Documentation)PERF='$(abspath $(perf))' tests/compare/schema --update

# The tables of units in the READMEs, from what each header says first.
.PHONY: readmes
readmes:
	$(call say,READMES,builtin util)scripts/readme-units

.PHONY: lint lint-changed lint-format lint-cppcheck lint-tidy lint-shellcheck lint-layers lint-readmes lint-headers lint-eslint lint-style lint-commits format
lint: lint-format lint-layers lint-readmes lint-commits lint-style lint-changed lint-headers lint-shellcheck lint-eslint lint-cppcheck lint-tidy

format:
	$(CLANG_FORMAT) -i $(formatted)
lint-format:
	$(call say,FORMAT,$(words $(formatted)) files)$(CLANG_FORMAT) --dry-run -Werror $(formatted)
	@! grep -nE '^ \*[[:alnum:]]' $(formatted) || { \
		echo 'clang-format joined these to the line above, which was too long'; exit 1; }
lint-layers:
	$(call say,LAYERS,util)scripts/check-layers
lint-readmes:
	$(call say,READMES,builtin util)scripts/readme-units --check
lint-style:
	$(call say,STYLE,comments messages documentation)scripts/check-style
# The commits that origin/main lacks, or RANGE=BASE..HEAD.
lint-commits:
	$(call say,COMMITS,$(or $(RANGE),origin/main..HEAD))scripts/check-commits $(RANGE)
# Only what changed since it passed.
lint_changed = scripts/lint-changed -j $(JOBS) $(1) $(builds)/lint/$(@:lint-%=%)
lint-changed:
	$(call say,CHANGED,scripts/lint-changed)scripts/check-lint-changed
# Each header must compile by itself, without anything included before it.
lint-headers:
	$(call say,HEADERS,$(words $(hdrs)) files)$(call lint_changed) \
		$(CC) $(cflags) $(cmocka_cflags) -fsyntax-only -include {} -x c /dev/null -- $(hdrs)
lint-shellcheck:
	$(call say,SHELL,$(words $(scripts)) scripts)$(call lint_changed,-n 8 $(patsubst %,-k %,$(wildcard scripts/*.sh tests/*.sh tests/*/*.sh))) \
		$(SHELLCHECK) -x {} -- $(scripts)
# Debian's modules are not in the path of every node.
lint-eslint:
	$(call say,ESLINT,util/render/html)NODE_PATH=$(D3) $(ESLINT) -f unix --max-warnings 0 util/render/html
lint-cppcheck:
	$(call say,CPPCHECK,$(words $(c_files)) files)$(call lint_changed,-n 8) \
		$(CPPCHECK) --quiet --error-exitcode=1 --std=c11 \
		--enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem --suppress=readdirCalled --suppress=memleak --suppress=resourceLeak --suppress=unknownEvaluationOrder \
		--suppress='preprocessorErrorDirective:*.pb-c.h' \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		--library=posix --library=gnu -U__has_attribute $(cppflags) {} -- $(c_files)
# The analyzer gives up on a function after max-nodes steps; its default of 225000 takes three times as long in all,
# spent in a dozen files. Starting clang-tidy takes as long as checking a small file.
lint-tidy:
	$(call say,TIDY,$(words $(c_files)) files)$(call lint_changed,-n 6 -k .clang-tidy) \
		$(CLANG_TIDY) --quiet --warnings-as-errors='*' {} -- -std=gnu11 -DVERSION='"0"' -DCOMMIT='"0"' $(cppflags) $(lib_cflags) $(cmocka_cflags) \
		-Xclang -analyzer-config -Xclang max-nodes=25000 -- $(c_files)

# ---- documentation, installation, the rest ----------------------------------

man_src := $(wildcard Documentation/perf-*.txt)
# Entries that several pages include.
man_part := $(wildcard Documentation/option-*.txt)
man_page := $(patsubst Documentation/%.txt,$(builds)/%.1,$(man_src))
# perf-kmem is installed by itself; the other commands only with INSTALL_PERF=1, as perf.
man_installed := $(if $(INSTALL_PERF),$(man_page),$(filter %/perf-kmem.1,$(man_page)))
asciidoctor := $(shell command -v asciidoctor 2>/dev/null)
a2x := $(shell command -v a2x 2>/dev/null)
.PHONY: man
man: $(if $(asciidoctor)$(a2x),$(man_page),man-skipped)
.PHONY: man-skipped
man-skipped:
	$(if $(man_src),@echo '  MAN      skipped: neither asciidoctor nor a2x is installed',@:)
$(builds)/%.1: Documentation/%.txt $(man_part) VERSION
	@mkdir -p $(@D)
ifneq ($(asciidoctor),)
	$(call say,MAN,$@)$(asciidoctor) --failure-level=WARN -b manpage -a manversion=$(version) -a reproducible \
		$(if $(commit),-a docdate=$(word 2,$(commit))) -o $@ $<
else
	$(call say,MAN,$@)$(a2x) --no-xmllint -f manpage -D $(@D) $<
endif

# A package of the files that git tracks, in their present state: from a copy, because debhelper builds in place.
# The package's version is that of debian/changelog.
.PHONY: deb
deb:
	$(Q)for tool in dpkg-buildpackage dh; do command -v $$tool >/dev/null || { \
		echo "error: '$$tool' is missing (apt-get install debhelper dpkg-dev)" >&2; exit 1; }; done
	$(Q)rm -rf $(builds)/deb && mkdir -p $(builds)/deb/perf-kmem
	$(Q)git ls-files -z | tar -c --null -T - --ignore-failed-read | tar -x -C $(builds)/deb/perf-kmem
	$(Q)echo '$(commit)' >$(builds)/deb/perf-kmem/COMMIT
	$(Q)cd $(builds)/deb/perf-kmem && unset MAKEFLAGS MFLAGS MAKELEVEL; \
		DEB_BUILD_OPTIONS="nocheck $$DEB_BUILD_OPTIONS" dpkg-buildpackage -b -uc -us \
		>../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
	@ls $(builds)/deb/*.deb

.PHONY: install uninstall clean compdb help
install: all
	install -d '$(bindir)'
	install -m 755 $(perf_bin) '$(bindir)/perf-kmem'
	$(if $(INSTALL_PERF),ln -sfn perf-kmem '$(bindir)/perf')
	$(if $(wildcard $(man_installed)),install -d '$(man1dir)' && install -m 644 $(man_installed) '$(man1dir)/')
	install -d '$(datadir)'
	install -m 644 Documentation/perf-kmem-report.schema.json '$(datadir)/'
	install -d '$(bashdir)' '$(zshdir)' '$(fishdir)'
	for program in perf-kmem $(if $(INSTALL_PERF),perf); do \
		sed "s/perf-kmem/$$program/g" scripts/completion/perf-kmem.bash >"$(bashdir)/$$program" && \
		sed "s/perf-kmem/$$program/g" scripts/completion/perf-kmem.zsh >"$(zshdir)/_$$program" && \
		sed "s/perf-kmem/$$program/g" scripts/completion/perf-kmem.fish >"$(fishdir)/$$program.fish" || exit 1; \
	done

# `perf` is removed only if it is the link made by INSTALL_PERF=1.
uninstall:
	[ "$$(readlink '$(bindir)/perf')" != perf-kmem ] || rm -f '$(bindir)/perf' $(call completions_of,perf) \
		$(patsubst $(builds)/%,'$(man1dir)/%',$(man_page))
	rm -f '$(bindir)/perf-kmem' '$(man1dir)/perf-kmem.1' $(call completions_of,perf-kmem)
	rm -rf '$(datadir)'

clean:
	rm -rf $(if $(O),$(builds)/*-O* $(builds)/fuzz $(man_page),build) $(perf) $(out)perf-kmem $(out)compile_commands.json

json = $(subst ",\",$(subst \,\\,$(1)))
compdb:
	$(if $(O),@mkdir -p $(O))
	@{ echo '['; sep=''; for f in $(c_files); do \
		printf '%s{"directory": "%s", "file": "%s", "command": "%s -c %s"}' "$$sep" '$(CURDIR)' "$$f" \
			'$(call json,$(CC) $(cflags) $(cmocka_cflags) -DVERSION=0 -DCOMMIT=0)' "$$f"; sep=$$(printf ',\nx'); \
		sep=$${sep%x}; done; echo; echo ']'; } > $(out)compile_commands.json
	@echo '  COMPDB   $(out)compile_commands.json'

help:
	@echo 'Targets:'
	@echo '  all (default)    ./perf, ./perf-kmem and the man page'
	@echo '  check            all tests; parts: check-unit check-golden check-manual check-compare check-robust'
	@echo '                   check-live check-html check-fuzz (replays the corpora under ASan and UBSan)'
	@echo '  check-guest      records in qemu, on the kernels 6.1, 6.12 and sid's, which are downloaded (not in check)'
	@echo '  check-peers      whether the perf of Debian sid, downloaded, reads what we record (not in check)'
	@echo '  lint             all linters; parts: lint-format lint-layers lint-readmes lint-commits lint-style lint-changed'
	@echo '                   lint-headers lint-shellcheck lint-eslint lint-cppcheck lint-tidy'
	@echo '  schema           rewrite the schema of the JSON reports (scripts/json-schema)'
	@echo '  readmes          rewrite the tables of units in the READMEs (scripts/readme-units)'
	@echo '  format           rewrite the sources as .clang-format says'
	@echo '  fuzz             fuzz each target for FUZZ_SECONDS (60) with clang and libFuzzer'
	@echo '  bench            what reading costs, next to the installed perf (SIZES="0.3 3" ROUNDS=1: shorter)'
	@echo '  bench-pages      what pages of large recordings cost: to make, and until a browser shows them'
	@echo '  bench-record     what recording costs; bench-micro: the table, the merge, the decoder, the tree alone'
	@echo '  bench-report     what perf report and script cost on samples with user stacks (SAMPLES=100000: shorter)'
	@echo '  man              $(man_page)'
	@echo '  dist             the source of a release, with its checksum, in $(builds)/dist'
	@echo '  sbom             the libraries of this build, as SPDX, on stdout'
	@echo '  deb              a Debian package, in $(builds)/deb'
	@echo '  install          perf-kmem, its man page, schema, completion for bash, zsh, fish; INSTALL_PERF=1: perf too'
	@echo '  uninstall clean config (the libraries found) compdb (compile_commands.json) help'
	@echo 'Variables:'
	@echo '  O=DIR (build there, not here)   CROSS_COMPILE=aarch64-linux-gnu- (with PKG_CONFIG= or PKG_CONFIG_LIBDIR=)'
	@echo '  V=1  CC=clang  OPT=-O0  LTO= (off)  CFLAGS= LDFLAGS= (added)  PREFIX=/usr/local  DESTDIR='
	@echo '  SANITIZE=address,undefined   DEVELOPER=1 (stricter warnings, all errors)   WERROR=1'
	@echo '  WITHOUT="libzstd zlib" or all (build as if these optional libraries were missing)'

-include $(shell [ -d $(BUILD) ] && find $(BUILD) -name '*.d')
