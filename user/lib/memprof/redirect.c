// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * redirect.c: leads the calls of all loaded objects to this library's functions, and
 * back.
 *
 * An object calls functions of others through slots, which the dynamic linker fills. A
 * slot is changed if it leads to the function that is replaced, or if it is not bound
 * yet. All other slots are foreign and stay: the program changed them itself, or their
 * object has another allocator. An allocator's own slots stay, too: its functions call
 * each other, and the call would be counted twice. Only libmemprof.so contains this.
 *
 * The slots of an object that another thread is opening must not be changed, because
 * the dynamic linker still writes them. It has a lock for that, which it holds while it
 * looks up a symbol, too, and calls the function that chooses a symbol's value
 * (STT_GNU_IFUNC). So the pass over the slots is such a function. musl has no such
 * symbols, and shows no object before it is complete. There threads take turns.
 *
 * Cost: two system calls for each slot in a read-only page, and a comparison of names
 * for each relocation with a symbol. The caller must not hold a lock that a library's
 * constructor may wait for.
 */
#include "redirect.h"

#include "c-library.h"
#include "loaded-object.h"
#include "memprof_internal.h"
#include "own-syscall.h"
#include "thread-table.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/auxv.h>

#ifdef __x86_64__
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT, WORD = R_X86_64_64 };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT,
	WORD = R_AARCH64_ABS64 };
#else
enum { JUMP_SLOT = -1, GLOB_DAT = -2, WORD = -3 };
#endif

/* Kinds that lead to this library. 0: all lead back. Read with the loader's lock held. */
static uint32_t wanted;
static struct mp_redirection counts;
/* The program was started with this library: calls lead to it without a change. */
static bool is_preloaded;
/* How many objects were ever loaded, after the last pass. */
static unsigned long long nr_loaded;

/*
 * Which thread makes a pass; 0: none. @again: another thread wants a pass. NULL with
 * glibc. The page is zero in the child of a fork, where that thread does not exist.
 */
static struct turn {
	uintptr_t thread;
	bool again;
} *turn;

/* Where a slot leads. THROUGH: to the program's own slot, which is changed. */
enum target { HOOK, REAL, UNBOUND, THROUGH, FOREIGN, NOTHING };

struct slot {
	void **at;
	struct mp_hook *hook;
	enum target target;
};

/*
 * An object, and what was found out about all of its slots. @page: the last one of those
 * that the linker protects; @is_opened: it was made writable, and has to be protected again.
 */
struct visit {
	struct mp_object object;
	bool is_allocator;
	bool has_foreign;
	uintptr_t page;
	bool is_opened;
};

static bool is_c_library(const struct mp_object *o)
{
	return mp_object_function(o, "exit");
}

/* The C library has an allocator, too, but its other functions call it by slots. */
static bool is_allocator(const struct mp_object *o)
{
	return mp_object_function(o, "malloc") && !is_c_library(o);
}

/*
 * A bit for the first three letters of each name. Most slots have other names, and a
 * program with its libraries can have a hundred thousand slots: the borrowed thread of an
 * injection waits for all of them.
 */
static uint64_t beginnings[16];

static uint64_t *beginning_of(const char *name, uint64_t *bit)
{
	unsigned int nr = 0, i;

	for (i = 0; i < 3 && name[i]; i++)
		nr = nr * 37 + (unsigned char)name[i];
	*bit = 1ULL << nr % 64;
	return &beginnings[nr / 64 % 16];
}

static void note_beginnings(void)
{
	uint64_t *word, bit;
	size_t i;

	for (i = 0; i < mp_nr_hooks; i++) {
		word = beginning_of(mp_hooks[i].name, &bit);
		*word |= bit;
	}
}

static struct mp_hook *hook_named(const char *name)
{
	uint64_t bit;
	const uint64_t *word = beginning_of(name, &bit);
	size_t i;

	if (!(*word & bit))
		return NULL;
	for (i = 0; i < mp_nr_hooks; i++)
		if (!strcmp(mp_hooks[i].name, name))
			return mp_hooks[i].real ? &mp_hooks[i] : NULL;
	return NULL;
}

/*
 * An unbound slot leads to code of its own object, which calls the linker. Such a slot can
 * have the name of a function of its own object, as those of libstdc++ for operator new:
 * bound to it, it leads to the function itself.
 */
static bool is_unbound(const struct visit *visit, const Elf64_Sym *symbol, uintptr_t value)
{
	if (symbol->st_shndx != SHN_UNDEF &&
	    (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC ||
	     value == visit->object.info->dlpi_addr + symbol->st_value))
		return false;
	return mp_object_has(&visit->object, value, 1, PF_X);
}

static enum target target_of(const struct visit *visit, const struct mp_hook *hook,
			     uint32_t type, const Elf64_Sym *symbol, const void *value)
{
	if (value == hook->function)
		return HOOK;
	if (value == hook->real)
		return REAL;
	if (!value || type == WORD)
		return NOTHING;
	if ((uintptr_t)value == hook->canonical)
		return THROUGH;
	if (type == JUMP_SLOT && is_unbound(visit, symbol, (uintptr_t)value))
		return UNBOUND;
	return FOREIGN;
}

/* Reads the slot of a relocation. Returns false if it is not one of those wanted. */
static bool read_slot(const struct visit *visit, const Elf64_Rela *relocation,
		      struct slot *slot)
{
	const struct mp_object *o = &visit->object;
	const uint32_t type = ELF64_R_TYPE(relocation->r_info);
	const uintptr_t at = o->info->dlpi_addr + relocation->r_offset;
	const Elf64_Sym *symbol;

	if (type != JUMP_SLOT && type != GLOB_DAT &&
	    (type != WORD || relocation->r_addend))
		return false;
	symbol = mp_object_symbol(o, ELF64_R_SYM(relocation->r_info));
	slot->hook = symbol ? hook_named(mp_object_name(o, symbol)) : NULL;
	if (!slot->hook || at % sizeof(void *) ||
	    !mp_object_has(o, at, sizeof(void *), PF_R))
		return false;
	slot->at = (void **)at;
	slot->target = target_of(visit, slot->hook, type, symbol,
				 __atomic_load_n(slot->at, __ATOMIC_RELAXED));
	return true;
}

static void each_slot(struct visit *visit,
		      void (*work)(struct visit *visit, const struct slot *slot))
{
	const struct mp_object *o = &visit->object;
	struct slot slot;
	size_t list, i;

	for (list = 0; list < 2; list++)
		for (i = 0; i < o->relocations[list].nr; i++)
			if (read_slot(visit, &o->relocations[list].list[i], &slot))
				work(visit, &slot);
}

/*
 * Whether memory can be written: the kernel adds 0 to a word. Linkers differ in what they
 * protect of their own library, and musl's allocator uses the rest of such pages.
 */
static bool is_writable(void *at)
{
	static uint32_t unused;

	return mp_own_syscall(SYS_futex, (long)&unused, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0,
			      0, (long)at, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

static bool protect(uintptr_t page, int protection)
{
	return !mp_own_syscall(SYS_mprotect, (long)page, (long)getauxval(AT_PAGESZ),
			       protection, 0, 0, 0);
}

static void close_page(struct visit *visit)
{
	if (visit->is_opened)
		protect(visit->page, PROT_READ);
	visit->is_opened = false;
	visit->page = 0;
}

/* Makes the page of a slot writable, if the linker has protected it. */
static bool open_page(struct visit *visit, void **at)
{
	const struct mp_object *o = &visit->object;
	const uintptr_t page = (uintptr_t)at & ~(getauxval(AT_PAGESZ) - 1);

	if ((uintptr_t)at < o->relro_begin || (uintptr_t)at >= o->relro_end ||
	    page == visit->page)
		return true;
	close_page(visit);
	if (!is_writable(at)) {
		if (!protect(page, PROT_READ | PROT_WRITE))
			return false;
		visit->is_opened = true;
	}
	visit->page = page;
	return true;
}

/* Writes a slot. close_page() has to follow the last one. */
static bool write_slot(struct visit *visit, void **at, void *value)
{
	if (!mp_object_has(&visit->object, (uintptr_t)at, sizeof(*at), PF_W) ||
	    !open_page(visit, at))
		return false;
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
	return true;
}

static void lead_to_hook(struct visit *visit, const struct slot *slot)
{
	const bool is_foreign = slot->target == FOREIGN ||
		(slot->target == UNBOUND && visit->has_foreign &&
		 slot->hook->kind == MP_HOOK_ALLOCATOR);

	if (slot->target == HOOK || slot->target == NOTHING || slot->target == THROUGH)
		return;
	if (is_foreign)
		counts.foreign++;
	else if (write_slot(visit, slot->at, slot->hook->function))
		counts.slots++;
	else
		counts.failed++;
}

static void lead_back(struct visit *visit, const struct slot *slot)
{
	if (slot->target != HOOK)
		return;
	if (write_slot(visit, slot->at, slot->hook->real))
		counts.restored++;
	else
		counts.failed++;
}

/*
 * Under LD_PRELOAD, an allocator's own calls lead to this library, or will when they are
 * bound. Leads them to the allocator.
 */
static void lead_home(struct visit *visit, const struct slot *slot)
{
	void *own = mp_object_function(&visit->object, slot->hook->name);

	if (own && is_preloaded)
		write_slot(visit, slot->at, own);
}

static void change_slot(struct visit *visit, const struct slot *slot)
{
	const uint32_t kind = slot->hook->kind;

	if (!wanted)
		lead_back(visit, slot);
	else if (visit->is_allocator && kind & (MP_HOOK_ALLOCATOR | MP_HOOK_OPERATOR))
		lead_home(visit, slot);
	else if (wanted & kind)
		lead_to_hook(visit, slot);
}

/*
 * If an object has another allocator, its unbound slots may lead to that one: a block
 * must not be freed by the wrong allocator.
 */
static void note_foreign(struct visit *visit, const struct slot *slot)
{
	if (slot->target == FOREIGN && slot->hook->kind == MP_HOOK_ALLOCATOR)
		visit->has_foreign = true;
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit visit = { 0 };

	(void)size;
	(void)arg;
	nr_loaded = info->dlpi_adds;
	if (!mp_object_read(&visit.object, info) || mp_object_is_own(&visit.object))
		return 0;
	counts.objects++;
	visit.is_allocator = is_allocator(&visit.object);
	if (wanted)
		each_slot(&visit, note_foreign);
	each_slot(&visit, change_slot);
	close_page(&visit);
	return 0;
}

/*
 * Finds the functions that are replaced. Operators and their like are replaced only if an
 * allocator defines them: those of the C++ library call malloc().
 */
static int find_functions(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *is_found = arg;
	struct mp_object o;
	size_t i;

	(void)size;
	if (!mp_object_read(&o, info) || mp_object_is_own(&o))
		return 0;
	for (i = 0; i < mp_nr_hooks; i++) {
		struct mp_hook *hook = &mp_hooks[i];
		const Elf64_Sym *symbol = mp_object_find(&o, hook->name);
		void *function = mp_object_function(&o, hook->name);

		if (symbol && symbol->st_shndx == SHN_UNDEF && symbol->st_value)
			hook->canonical = info->dlpi_addr + symbol->st_value;
		if (!function || is_found[i])
			continue;
		is_found[i] = true;
		if (hook->kind != MP_HOOK_OPERATOR || is_allocator(&o))
			hook->real = function;
	}
	return 0;
}

static void find_all_functions(void)
{
	bool is_found[mp_nr_hooks];
	size_t i;

	note_beginnings();
	memset(is_found, 0, sizeof(is_found));
	dl_iterate_phdr(find_functions, is_found);
	for (i = 0; i < mp_nr_hooks; i++)
		if (mp_hooks[i].next && mp_hooks[i].real)
			__atomic_store_n(mp_hooks[i].next, mp_hooks[i].real,
					 __ATOMIC_RELEASE);
}

static void pass_over_slots(void)
{
	dl_iterate_phdr(visit_object, NULL);
}

#ifdef __GLIBC__

static void call_nothing(void)
{
}

/* Called by dlsym(), with the loader's lock held. Returns the symbol's value. */
static void (*choose_symbol(void))(void)
{
	pass_over_slots();
	return call_nothing;
}

MEMPROF_API void memprof_loader_lock(void) __attribute__((ifunc("choose_symbol")));

/* Returns a handle of this library, for dlsym(). It is never closed. */
static void *own_handle(void)
{
	static void *handle;
	Dl_info info;

	if (!handle && dladdr((void *)own_handle, &info))
		handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	return handle;
}

static void pass_with_lock(void)
{
	void *handle = mp_is_glibc() ? own_handle() : NULL;

	if (!handle || !dlsym(handle, "memprof_loader_lock"))
		pass_over_slots();
}

#else

static void pass_with_lock(void)
{
	pass_over_slots();
}

#endif

static void make_turn(void)
{
	void *page;

	if (turn || mp_is_glibc())
		return;
	page = mp_own_mmap(NULL, 4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (mp_own_failed(page))
		return;
	mp_own_madvise(page, 4096, MADV_WIPEONFORK);
	turn = page;
}

/* Returns false if another thread makes a pass, or if this is a signal handler in one. */
static bool begin_turn(bool waits)
{
	const uintptr_t own = mp_thread_pointer();
	uintptr_t owner = 0;

	while (turn && !__atomic_compare_exchange_n(&turn->thread, &owner, own, false,
						    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (!waits || owner == own)
			return false;
		mp_own_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		owner = 0;
	}
	return true;
}

static void end_turn(void)
{
	if (turn)
		__atomic_store_n(&turn->thread, 0, __ATOMIC_RELEASE);
}

/* One thread makes the passes that others want meanwhile. */
static void pass_again(void)
{
	if (!turn) {
		pass_with_lock();
		return;
	}
	__atomic_store_n(&turn->again, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&turn->again, __ATOMIC_SEQ_CST) && begin_turn(false)) {
		__atomic_store_n(&turn->again, false, __ATOMIC_SEQ_CST);
		pass_with_lock();
		end_turn();
	}
}

/**
 * mp_redirect() - lead functions to this library, or back
 * @kinds: kinds of functions that shall lead to this library; 0: lead all back
 *
 * Only one thread may call this at a time. next.c must know its functions before.
 */
struct mp_redirection mp_redirect(uint32_t kinds)
{
	struct mp_redirection done;

	if (kinds)
		find_all_functions();
	make_turn();
	begin_turn(true);
	counts = (struct mp_redirection){ 0 };
	wanted = kinds;
	pass_with_lock();
	done = counts;
	end_turn();
	if (turn && __atomic_load_n(&turn->again, __ATOMIC_SEQ_CST))
		pass_again();
	return done;
}

/*
 * Leads the operators of C++ to this library that was started with LD_PRELOAD, if the
 * allocator defines them. Call it before main(): no lock is needed.
 */
void mp_redirect_operators(void)
{
	size_t i, nr = 0;

	find_all_functions();
	for (i = 0; i < mp_nr_hooks; i++)
		nr += mp_hooks[i].kind == MP_HOOK_OPERATOR && mp_hooks[i].real;
	if (!nr)
		return;
	is_preloaded = true;
	wanted = MP_HOOK_OPERATOR | MP_HOOK_LOADER;
	pass_over_slots();
}

static int read_nr_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds;
	return 1;
}

/* Makes another pass if an object was loaded since the last one. errno is preserved. */
void mp_redirect_again(void)
{
	unsigned long long nr = 0;
	int saved = errno;

	dl_iterate_phdr(read_nr_loaded, &nr);
	if (wanted && nr != nr_loaded)
		pass_again();
	errno = saved;
}
