// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

#include "util/symbol/elf_file.h"
#endif

#include "util/base/cleanup.h"

#if defined(HAVE_ZLIB) || defined(HAVE_LIBELF)

static int too_large(const char *path, struct error *err)
{
	return error_set(err, EFBIG, "'%s' holds more than %u MiB", path, SYMBOL_FILE_MAX >> 20);
}

#endif

#ifdef HAVE_ZLIB

/* gzread() returns plain text unchanged. Owns fd. */
static int read_text(struct strbuf *text, int fd, const char *path, struct error *err)
{
	gzFile gz = gzdopen(fd, "rb");
	int ret = 0;

	if (!gz) {
		close(fd);
		return error_nomem(err);
	}
	for (;;) {
		int n;

		if (strbuf_grow(text, 1 << 16)) {
			ret = error_nomem(err);
			break;
		}
		n = gzread(gz, text->buf + text->len, 1 << 16);
		if (n < 0) {
			int code;
			const char *why = gzerror(gz, &code);

			ret = code == Z_ERRNO
				      ? error_set_errno(err, errno, "cannot read '%s'", path)
				      : error_set(err, EINVAL, "cannot unpack '%s': %s", path, why);
			break;
		}
		if (!n)
			break;
		text->len += (size_t)n;
		text->buf[text->len] = '\0';
		if (text->len > SYMBOL_FILE_MAX) {
			ret = too_large(path, err);
			break;
		}
	}
	gzclose(gz);
	return ret;
}

#else

static int read_text(struct strbuf *text, int fd, const char *path, struct error *err)
{
	int ret = strbuf_read(text, fd);

	close(fd);
	if (ret)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	if (text->len >= 2 && !memcmp(text->buf, "\x1f\x8b", 2))
		return error_set(err, ENOTSUP,
				 "'%s' is compressed and this perf was built without zlib", path);
	return 0;
}

#endif

#ifdef HAVE_LIBELF

/* Functions, and labels in code such as _stext, which relocation needs. */
static bool is_code(Elf *elf, const GElf_Sym *sym)
{
	unsigned char type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr header;
	Elf_Scn *section;

	if (type == STT_FUNC)
		return true;
	if (type != STT_NOTYPE || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	section = elf_getscn(elf, sym->st_shndx);
	return section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR;
}

static char type_letter(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return 't';
	case STB_WEAK:
		return 'W';
	default:
		return 'T';
	}
}

static void add_symbols(struct strbuf *text, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;

	for (int i = 0; data && text->len <= SYMBOL_FILE_MAX && gelf_getsym(data, i, &sym); i++) {
		const char *name;

		if (!sym.st_value || !is_code(elf, &sym))
			continue;
		name = elf_strptr(elf, header->sh_link, sym.st_name);
		if (name && *name)
			strbuf_addf(text, "%016" PRIx64 " %c %s\n", (uint64_t)sym.st_value,
				    type_letter(&sym), name);
	}
}

static int read_elf(struct strbuf *text, const char *path, struct error *err)
{
	Elf_Scn *section = NULL;
	size_t before = text->len;
	struct elf_file file;
	GElf_Shdr header;
	int ret = elf_file_open(&file, path, err);

	if (ret)
		return ret;
	while ((section = elf_nextscn(file.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			break;
	if (section && elf_file_has_strings(&file, header.sh_link))
		add_symbols(text, file.elf, section, &header);
	if (text->failed)
		ret = error_nomem(err);
	else if (text->len > SYMBOL_FILE_MAX)
		ret = too_large(path, err);
	else if (text->len == before)
		ret = error_set(err, ENODATA,
				"'%s' has no symbol table (distributions keep it in the debug "
				"package)",
				path);
	elf_file_close(&file);
	return ret;
}

#else

static int read_elf(struct strbuf *text, const char *path, struct error *err)
{
	(void)text;
	return error_set(err, ENOTSUP, "'%s' is an ELF file and this perf was built without libelf",
			 path);
}

#endif

int symbol_file_read(struct strbuf *text, const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[4];

	if (fd < 0)
		return error_set_errno(err, errno, "cannot read kernel symbols from '%s'", path);
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    !memcmp(magic, "\177ELF", sizeof(magic))) {
		close(fd);
		return read_elf(text, path, err);
	}
	return read_text(text, fd, path, err);
}
