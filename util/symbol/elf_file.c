// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

#include "util/base/map_guard.h"

/* More than any linker creates. Each new file costs a walk over all of them. */
#define SEGMENTS_MAX 1024
#define SECTIONS_MAX 65536

/* A hostile file may have many large segments and sections of notes. The search for the build-id is
 * limited to notes of this size, and to this number. */
#define NOTES_BYTES_MAX (1u << 16)
#define NOTES_MAX	64

static void read_notes(struct elf_file *f, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && !f->build_id_size &&
	       (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 || !note.n_descsz ||
		    note.n_descsz > BUILD_ID_MAX)
			continue;
		memcpy(f->build_id, bytes + desc, note.n_descsz);
		f->build_id_size = note.n_descsz;
	}
}

/* Notes are in segments of a loadable file, and in sections of an object file. */
static int read_segments(struct elf_file *f, struct error *err)
{
	size_t nr = 0, notes = 0;

	if (elf_getphdrnum(f->elf, &nr) || !nr)
		return 0;
	if (nr > SEGMENTS_MAX)
		nr = SEGMENTS_MAX;
	f->segments = calloc(nr, sizeof(*f->segments));
	if (!f->segments)
		return error_nomem(err);
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr h;

		if (!gelf_getphdr(f->elf, (int)i, &h))
			break;
		if (h.p_type == PT_NOTE && h.p_filesz <= NOTES_BYTES_MAX && notes++ < NOTES_MAX)
			read_notes(f,
				   elf_getdata_rawchunk(f->elf, (int64_t)h.p_offset, h.p_filesz,
							h.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
		if (h.p_type == PT_LOAD && h.p_filesz)
			f->segments[f->nr_segments++] =
				(struct elf_segment){h.p_offset, h.p_filesz, h.p_vaddr};
	}
	return 0;
}

static void read_note_sections(struct elf_file *f)
{
	Elf_Scn *section = NULL;
	size_t notes = 0;
	GElf_Shdr h;

	for (size_t i = 0; i < SECTIONS_MAX && (section = elf_nextscn(f->elf, section)); i++)
		if (!f->build_id_size && gelf_getshdr(section, &h) && h.sh_type == SHT_NOTE &&
		    h.sh_size <= NOTES_BYTES_MAX && notes++ < NOTES_MAX)
			read_notes(f, elf_getdata(section, NULL));
}

bool elf_file_has_strings(const struct elf_file *f, size_t index)
{
	Elf_Scn *section = elf_getscn(f->elf, index);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	return data && data->d_buf && data->d_size &&
	       !((const char *)data->d_buf)[data->d_size - 1];
}

/* libelf and libdw read the names of all sections, repeatedly. */
static bool has_section_names(const struct elf_file *f)
{
	size_t nr = 0, names = 0;

	if (elf_getshdrnum(f->elf, &nr) || !nr)
		return true;
	return !elf_getshdrstrndx(f->elf, &names) && (!names || elf_file_has_strings(f, names));
}

/* Called with f->elf open, or NULL if that failed. */
static int read_header(struct elf_file *f, const char *name, struct error *err)
{
	GElf_Ehdr header;
	int ret;

	if (!f->elf)
		return error_set(err, EINVAL, "cannot read '%s': %s", name, elf_errmsg(-1));
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &header))
		return error_set(err, EINVAL, "'%s' is not an ELF file", name);
	f->machine = header.e_machine;
	f->type = header.e_type;
	f->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	f->bytes = (const uint8_t *)elf_rawfile(f->elf, &f->size);
	if (!has_section_names(f))
		return error_set(err, EINVAL, "'%s' has no names for its sections", name);
	ret = read_segments(f, err);
	if (ret)
		return ret;
	read_note_sections(f);
	return 0;
}

int elf_file_open(struct elf_file *f, const char *path, struct error *err)
{
	struct stat st;
	int ret;

	*f = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (f->fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	if (fstat(f->fd, &st))
		ret = error_set_errno(err, errno, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		ret = error_set(err, EINVAL, "'%s' is not a regular file", path);
	else {
		f->device = st.st_dev;
		f->inode = st.st_ino;
		f->modified_s = st.st_mtime;
		map_guard_install();
		elf_version(EV_CURRENT);
		f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
		ret = read_header(f, path, err);
	}
	if (ret)
		elf_file_close(f);
	return ret;
}

int elf_file_open_image(struct elf_file *f, void *image, size_t size, const char *name,
			struct error *err)
{
	int ret;

	*f = (struct elf_file){.fd = -1, .image = image};
	elf_version(EV_CURRENT);
	f->elf = elf_memory(image, size);
	ret = read_header(f, name, err);
	if (ret)
		elf_file_close(f);
	return ret;
}

void elf_file_close(struct elf_file *f)
{
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->image);
	free(f->segments);
	*f = (struct elf_file){.fd = -1};
}

static Elf_Scn *find_section(const struct elf_file *f, const char *name, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return NULL;
	for (size_t i = 0; i < SECTIONS_MAX && (section = elf_nextscn(f->elf, section)); i++) {
		const char *s;

		if (!gelf_getshdr(section, ret_header))
			continue;
		s = elf_strptr(f->elf, names, ret_header->sh_name);
		if (s && !strcmp(s, name))
			return section;
	}
	return NULL;
}

bool elf_file_has_section(const struct elf_file *f, const char *name)
{
	GElf_Shdr header;

	return find_section(f, name, &header) && header.sh_type != SHT_NOBITS && header.sh_size;
}

const uint8_t *elf_file_section(const struct elf_file *f, const char *name, size_t *ret_size,
				uint64_t *ret_address)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(f, name, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf)
		return NULL;
	*ret_size = data->d_size;
	*ret_address = header.sh_addr;
	return data->d_buf;
}

bool elf_file_is_thumb(const struct elf_file *f, unsigned int type, uint64_t value)
{
	return f->machine == EM_ARM && type == STT_FUNC && value & 1;
}

bool elf_file_symbol(const struct elf_file *f, const char *name, uint64_t *ret_address)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(f, ".symtab", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t nr = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;

	if (!nr || !elf_file_has_strings(f, header.sh_link))
		return false;
	for (size_t i = 0; i < nr && i < INT32_MAX; i++) {
		const char *s;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		s = elf_strptr(f->elf, header.sh_link, sym.st_name);
		if (!s || strcmp(s, name) != 0)
			continue;
		*ret_address = sym.st_value;
		if (elf_file_is_thumb(f, GELF_ST_TYPE(sym.st_info), sym.st_value))
			*ret_address &= ~(uint64_t)1;
		return true;
	}
	return false;
}

#else

int elf_file_open(struct elf_file *f, const char *path, struct error *err)
{
	*f = (struct elf_file){.fd = -1};
	return error_set(err, ENOTSUP, "'%s' cannot be read: this perf was built without libelf",
			 path);
}

int elf_file_open_image(struct elf_file *f, void *image, size_t size, const char *name,
			struct error *err)
{
	(void)size;
	free(image);
	return elf_file_open(f, name, err);
}

void elf_file_close(struct elf_file *f)
{
	(void)f;
}

bool elf_file_has_section(const struct elf_file *f, const char *name)
{
	(void)f;
	(void)name;
	return false;
}

const uint8_t *elf_file_section(const struct elf_file *f, const char *name, size_t *ret_size,
				uint64_t *ret_address)
{
	(void)f, (void)name, (void)ret_size, (void)ret_address;
	return NULL;
}

bool elf_file_is_thumb(const struct elf_file *f, unsigned int type, uint64_t value)
{
	(void)f, (void)type, (void)value;
	return false;
}

bool elf_file_symbol(const struct elf_file *f, const char *name, uint64_t *ret_address)
{
	(void)f, (void)name, (void)ret_address;
	return false;
}

#endif

const char *elf_file_debuglink(const struct elf_file *f)
{
	size_t size;
	uint64_t address;
	const char *name = (const char *)elf_file_section(f, ".gnu_debuglink", &size, &address);

	return name && memchr(name, '\0', size) && *name ? name : NULL;
}

bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *ret_address)
{
	for (size_t i = 0; i < f->nr_segments; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (offset < s->offset || offset - s->offset >= s->size)
			continue;
		*ret_address = s->address + (offset - s->offset);
		return true;
	}
	return false;
}

const uint8_t *elf_file_bytes(const struct elf_file *f, uint64_t address, uint64_t size)
{
	for (size_t i = 0; f->bytes && i < f->nr_segments; i++) {
		const struct elf_segment *s = &f->segments[i];
		uint64_t in = address - s->address;

		if (address < s->address || in >= s->size)
			continue;
		/* the mapping extends to the end of the page */
		if (s->offset > f->size || in > f->size - s->offset ||
		    size > f->size - s->offset - in)
			return NULL;
		return f->bytes + s->offset + in;
	}
	return NULL;
}
