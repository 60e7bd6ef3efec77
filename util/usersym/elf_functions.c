// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/elf_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

#include "util/base/array.h"
#include "util/base/bytes.h"
#include "util/base/symbol.h"

/* A file has one or two of each. Without a limit, a hostile one could list the same bytes many
 * times. */
#define PLT_SECTIONS_MAX   8
#define RELOC_SECTIONS_MAX 8
#define SECTIONS_MAX	   65536
#define DYNAMIC_MAX	   4096

/* Limit of symbols; the largest programs have some millions. */
#define SYMBOLS_MAX (1u << 24)

/* ---- symbol tables ---- */

/* The section's addresses, if it is code. Linked files use few sections. */
struct code_section {
	size_t index;
	bool is_code;
	uint64_t start, end;
};

static const struct code_section *look_at_section(Elf *elf, size_t index, struct code_section *last)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (last->index == index)
		return last;
	*last = (struct code_section){.index = index};
	section = elf_getscn(elf, index);
	if (section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR) {
		last->is_code = true;
		last->start = header.sh_addr;
		last->end = header.sh_addr + header.sh_size;
	}
	return last;
}

static uint32_t rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned int binding = GELF_ST_BIND(sym->st_info), underscores = 0;

	while (underscores < 15 && name[underscores] == '_')
		underscores++;
	return (sym->st_size ? 64 : 0) + (binding != STB_WEAK ? 32 : 0) +
	       (binding == STB_GLOBAL ? 16 : 0) + (15 - underscores);
}

static int add_symbol(struct elf_symbols *s, const struct elf_file *f, const GElf_Sym *sym,
		      const char *name, struct code_section *section)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct elf_symbol new = {.start = sym->st_value, .name = name};

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE || !name || !*name ||
	    symbol_is_mapping(name, strlen(name)))
		return 0;
	if (!look_at_section(f->elf, sym->st_shndx, section)->is_code)
		return 0;
	new.is_thumb = elf_file_is_thumb(f, type, sym->st_value);
	if (new.is_thumb)
		new.start &= ~(uint64_t)1;
	if (new.start < section->start || new.start >= section->end)
		return 0;
	new.has_size = sym->st_size != 0;
	new.is_label = type == STT_NOTYPE;
	new.end = section->end;
	if (new.has_size && sym->st_size < new.end - new.start)
		new.end = new.start + sym->st_size;
	new.rank = rank_of(sym, name);
	return elf_symbols_add(s, &new);
}

static int add_table(struct elf_symbols *s, const struct elf_file *f, Elf_Scn *table,
		     const GElf_Shdr *header)
{
	struct code_section section = {.index = SIZE_MAX};
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT), nr;
	Elf_Data *data;
	int ret = 0;

	if (!entry || header->sh_size / entry > SYMBOLS_MAX ||
	    !elf_file_has_strings(f, header->sh_link))
		return 0;
	data = elf_getdata(table, NULL);
	nr = data ? data->d_size / entry : 0;
	for (size_t i = 0; i < nr && !ret; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym))
			ret = add_symbol(s, f, &sym,
					 elf_strptr(f->elf, header->sh_link, sym.st_name),
					 &section);
	}
	return ret;
}

static Elf_Scn *find_table(const struct elf_file *f, uint32_t type, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;

	for (size_t i = 0; i < SECTIONS_MAX && (section = elf_nextscn(f->elf, section)); i++)
		if (gelf_getshdr(section, ret_header) && ret_header->sh_type == type)
			return section;
	return NULL;
}

/* ---- the procedure linkage table ---- */

/* A slot of the global offset table, which the dynamic linker sets to a function's address. */
struct got_slot {
	uint64_t address;
	const char *name;
};

struct got {
	struct got_slot *v;
	size_t nr, cap;
	uint64_t base; /* what i386 code keeps in %ebx; 0: unknown */
};

static int add_slot(struct got *got, uint64_t address, const char *name)
{
	struct got_slot *v = array_room(got->v, got->nr, &got->cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	got->v = v;
	got->v[got->nr++] = (struct got_slot){address, name};
	return 0;
}

static int add_slots(struct got *got, const struct elf_file *f, Elf_Scn *section,
		     const GElf_Shdr *header, Elf_Data *symbols, size_t strings)
{
	bool with_addend = header->sh_type == SHT_RELA;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry = gelf_fsize(f->elf, with_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t nr = data && entry ? data->d_size / entry : 0;
	int ret = 0;

	for (size_t i = 0; i < nr && i < INT32_MAX && !ret; i++) {
		const char *name = NULL;
		GElf_Rela rela;
		GElf_Rel rel;
		GElf_Sym sym;

		if (with_addend) {
			if (!gelf_getrela(data, (int)i, &rela))
				continue;
		} else if (gelf_getrel(data, (int)i, &rel)) {
			rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
		} else {
			continue;
		}
		if (GELF_R_SYM(rela.r_info) && GELF_R_SYM(rela.r_info) <= INT32_MAX &&
		    gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			name = elf_strptr(f->elf, strings, sym.st_name);
		/* symbols without a name count as well: PLT entries are in this order */
		ret = add_slot(got, rela.r_offset, name);
	}
	return ret;
}

static int compare_slots(const void *x, const void *y)
{
	const struct got_slot *a = x, *b = y;

	return (a->address > b->address) - (a->address < b->address);
}

static int add_plt_entry(struct elf_symbols *s, uint64_t start, uint64_t size, const char *name)
{
	/* the highest rank: a PLT entry has no other symbols */
	struct elf_symbol new = {.start = start,
				 .end = start + size,
				 .name = name,
				 .is_plt = true,
				 .has_size = true,
				 .rank = UINT32_MAX};

	return name && *name ? elf_symbols_add(s, &new) : 0;
}

static uint64_t find_got_base(const struct elf_file *f)
{
	GElf_Shdr header;
	Elf_Scn *section = find_table(f, SHT_DYNAMIC, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; i < DYNAMIC_MAX && data && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_PLTGOT)
			return dyn.d_un.d_ptr;
	return 0;
}

/* The address from which the entry's jump loads its target: "jmp *slot(%rip)", or in 32 bits "jmp
 * *slot" or "jmp *offset(%ebx)". */
static bool decode_x86_entry(const struct elf_file *f, const uint8_t *code, size_t size,
			     uint64_t address, uint64_t got_base, uint64_t *ret_slot)
{
	bool by_ebx;
	size_t at = 0;

	if (size >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		at = 4; /* endbr64, endbr32 */
	if (at < size && code[at] == 0xf2)
		at++; /* bnd */
	if (size - at < 6 || code[at] != 0xff)
		return false;
	by_ebx = f->machine == EM_386 && code[at + 1] == 0xa3;
	if (code[at + 1] != 0x25 && !by_ebx)
		return false;
	*ret_slot = load_u32(code + at + 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (f->machine == EM_X86_64)
		*ret_slot = address + at + 6 + (uint64_t)(int64_t)(int32_t)(uint32_t)*ret_slot;
	else if (by_ebx)
		*ret_slot = (uint32_t)(got_base + *ret_slot);
	return true;
}

static int add_x86_plt(struct elf_symbols *s, const struct elf_file *f, Elf_Scn *section,
		       const GElf_Shdr *header, const struct got *got)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	size_t entry = header->sh_entsize == 8 ? 8 : 16, size = data ? data->d_size : 0;
	int ret = 0;

	for (size_t at = 0; at + entry <= size && !ret; at += entry) {
		const struct got_slot *slot;
		struct got_slot key = {0};

		if (!decode_x86_entry(f, (const uint8_t *)data->d_buf + at, entry,
				      header->sh_addr + at, got->base, &key.address))
			continue;
		slot = got->nr ? bsearch(&key, got->v, got->nr, sizeof(*got->v), compare_slots)
			       : NULL;
		if (slot)
			ret = add_plt_entry(s, header->sh_addr + at, entry, slot->name);
	}
	return ret;
}

/* For PLT entries in the order of the relocations: the sizes of the first one and of the others. */
static bool plt_layout(const struct elf_file *f, size_t *ret_first, size_t *ret_entry)
{
	switch (f->machine) {
	case EM_AARCH64:
	case EM_RISCV:
		*ret_first = 32;
		*ret_entry = 16;
		return true;
	case EM_ARM:
		*ret_first = 20;
		*ret_entry = 12;
		return true;
	case EM_S390:
		*ret_first = *ret_entry = 32;
		return true;
	default:
		return false;
	}
}

static int add_plt_in_order(struct elf_symbols *s, const struct elf_file *f,
			    const GElf_Shdr *header, const struct got *jumps)
{
	size_t first, entry;
	int ret = 0;

	if (!plt_layout(f, &first, &entry))
		return 0;
	for (size_t i = 0; i < jumps->nr && !ret; i++) {
		if (first + (i + 1) * entry > header->sh_size)
			break;
		ret = add_plt_entry(s, header->sh_addr + first + i * entry, entry,
				    jumps->v[i].name);
	}
	return ret;
}

static int add_plt_section(struct elf_symbols *s, const struct elf_file *f, Elf_Scn *section,
			   const GElf_Shdr *header, const char *name, const struct got *jumps,
			   const struct got *got)
{
	if (f->machine == EM_X86_64 || f->machine == EM_386)
		return add_x86_plt(s, f, section, header, got);
	return strcmp(name, ".plt") ? 0 : add_plt_in_order(s, f, header, jumps);
}

static int add_plt(struct elf_symbols *s, const struct elf_file *f)
{
	struct got jumps = {0}, all = {0};
	Elf_Scn *section = NULL;
	Elf_Data *symbols;
	GElf_Shdr header;
	unsigned int relocations = 0, plts = 0;
	size_t names, strings;
	int ret = 0;

	all.base = find_got_base(f);
	section = find_table(f, SHT_DYNSYM, &header);
	symbols = section ? elf_getdata(section, NULL) : NULL;
	if (!symbols || elf_getshdrstrndx(f->elf, &names))
		return 0;
	strings = header.sh_link;
	if (!elf_file_has_strings(f, strings))
		return 0;
	section = NULL;
	for (size_t i = 0; i < SECTIONS_MAX && !ret && (section = elf_nextscn(f->elf, section));
	     i++) {
		const char *name;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
		    !(header.sh_flags & SHF_ALLOC) || relocations++ >= RELOC_SECTIONS_MAX)
			continue;
		name = elf_strptr(f->elf, names, header.sh_name);
		if (name && (!strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt")))
			ret = add_slots(&jumps, f, section, &header, symbols, strings);
		if (!ret)
			ret = add_slots(&all, f, section, &header, symbols, strings);
	}
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), compare_slots);
	section = NULL;
	for (size_t i = 0; i < SECTIONS_MAX && !ret && (section = elf_nextscn(f->elf, section));
	     i++) {
		const char *name;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(f->elf, names, header.sh_name);
		if (name && !strncmp(name, ".plt", 4) && plts++ < PLT_SECTIONS_MAX)
			ret = add_plt_section(s, f, section, &header, name, &jumps, &all);
	}
	free(jumps.v);
	free(all.v);
	return ret;
}

bool elf_functions_has_table(const struct elf_file *f)
{
	GElf_Shdr header;

	return find_table(f, SHT_SYMTAB, &header) != NULL;
}

/* Add the functions of the first table of this type; *ret_found: whether there is one. f may be
 * NULL. */
static int add_table_of(struct elf_symbols *s, const struct elf_file *f, uint32_t type,
			bool *ret_found)
{
	GElf_Shdr header;
	Elf_Scn *table = f ? find_table(f, type, &header) : NULL;

	*ret_found = table != NULL;
	return table ? add_table(s, f, table, &header) : 0;
}

static int read_symbols(struct elf_symbols *s, const struct elf_file *f,
			const struct elf_file *debug, const struct elf_file *mini)
{
	bool found;
	int ret = add_table_of(s, f, SHT_SYMTAB, &found);

	if (!ret && !found)
		ret = add_table_of(s, debug, SHT_SYMTAB, &found);
	if (!ret && !found) {
		ret = add_table_of(s, mini, SHT_SYMTAB, &found);
		if (!ret)
			ret = add_table_of(s, f, SHT_DYNSYM, &found);
	}
	return ret ? ret : add_plt(s, f);
}

#else

bool elf_functions_has_table(const struct elf_file *f)
{
	(void)f;
	return false;
}

static int read_symbols(struct elf_symbols *s, const struct elf_file *f,
			const struct elf_file *debug, const struct elf_file *mini)
{
	(void)s, (void)f, (void)debug, (void)mini;
	return 0;
}

#endif

int elf_functions_read(struct elf_symbols *s, const struct elf_file *f,
		       const struct elf_file *debug, const struct elf_file *mini, struct error *err)
{
	int ret;

	*s = (struct elf_symbols){0};
	ret = read_symbols(s, f, debug, mini);
	if (!ret)
		ret = elf_symbols_arrange(s);
	if (ret) {
		elf_symbols_deinit(s);
		return error_nomem(err);
	}
	return 0;
}
