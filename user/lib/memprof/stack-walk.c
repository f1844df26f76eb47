// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack-walk.c: walks the call stack of the calling thread.
 *
 * The rules of .eh_frame describe for each code address how to find the caller. For
 * code without rules, such as code generated at run time, frame pointers are used.
 * Only words above the stack pointer are read, from pages that were found readable
 * (stack-bounds.c). Frames that rules find are on the stack in use, which stays
 * mapped. A frame pointer may have any value, so after the first frame pointer the
 * kernel tests each page again.
 *
 * Cost: 5 ns per frame if its rule is cached, 500 ns if not; 0.1 us per page after
 * the first frame pointer. No memory is allocated, and no lock is taken.
 */
#include "stack-walk.h"

#include "cfi.h"
#include "stack-bounds.h"

#include <stddef.h>
#ifdef __aarch64__
#include <ucontext.h>
#endif

/*
 * Cache of rules. A word contains a packed rule, and as tag the upper bits of
 * the code address of the rule. The slot number and the tag together give the
 * whole address. Any thread may write any word.
 */
#define CACHE_BITS	13
#define CACHE_MASK	((1UL << CACHE_BITS) - 1)
#define KIND_BITS	3
#ifdef __aarch64__
#define TAG_BITS	35		/* high bits of a 48-bit address */
#define CFA_BITS	12		/* a signed number of pairs of words */
#define CFA_UNIT	16
#define SAVED_BITS	14
#else
#define TAG_BITS	34		/* high bits of a 47-bit address */
#define CFA_BITS	15		/* a signed number of words */
#define CFA_UNIT	8
#define SAVED_BITS	12
#endif

/* Whether the saved frame pointer and return address are the end of a frame. */
#ifdef __aarch64__
#define FRAME_POINTER_ENDS_FRAME	false
#else
#define FRAME_POINTER_ENDS_FRAME	true
#endif

#define PAGE		4096UL
/*
 * After a frame pointer was used, only words at most this many bytes above the
 * lowest readable word are read.
 */
#define GUESSED		(64UL << 20)

static uint64_t cache[1 << CACHE_BITS];

struct walk {
	struct mp_registers regs;
	uintptr_t low, high;		/* range of the stack where words may be read */
	uintptr_t page;			/* page that the last test found readable */
	bool exact;			/* regs.pc is not a return address */
	bool guessed;			/* a frame pointer was used: regs may have any values */
	bool loose;			/* regs.sp is not above the caller's stack pointer */
	uintptr_t link;			/* link register of an interrupted function, or 0 */
	MemProfThreadState *thread;
};

static uint64_t *cache_slot(uintptr_t pc)
{
	return &cache[(pc ^ pc >> CACHE_BITS ^ pc >> 2 * CACHE_BITS) & CACHE_MASK];
}

static bool fits(int64_t value, int bits)
{
	return value >= -(1LL << (bits - 1)) && value < 1LL << (bits - 1);
}

static uint64_t field(int64_t value, int bits)
{
	return (uint64_t)value & ((1ULL << bits) - 1);
}

static int64_t unfield(uint64_t word, int bits)
{
	return (int64_t)(word << (64 - bits)) >> (64 - bits);
}

#ifdef __aarch64__
/*
 * Where the frame pointer and the return address were saved, as words from the CFA and a
 * flag as lowest bit: both, side by side; or the return address alone, or not yet.
 * Returns false for anything else.
 */
static bool pack_saved(const struct mp_rule *rule, int64_t *saved)
{
	if (rule->bp_offset && rule->ra_offset != rule->bp_offset + 8)
		return false;
	*saved = rule->bp_offset ? rule->bp_offset / 8 * 2 + 1 :
				   rule->ra_offset / 8 * 2;
	return true;
}

static void unpack_saved(struct mp_rule *rule, int64_t saved)
{
	rule->ra_offset = saved & 1 ? 8 * (saved >> 1) + 8 : 8 * (saved >> 1);
	rule->bp_offset = saved & 1 ? 8 * (saved >> 1) : 0;
}
#else
static bool pack_saved(const struct mp_rule *rule, int64_t *saved)
{
	*saved = rule->bp_offset / 8;
	return true;
}

static void unpack_saved(struct mp_rule *rule, int64_t saved)
{
	rule->bp_offset = 8 * saved;
}
#endif

/* Packs a rule into a word; 0 if it does not fit. Kinds are stored as numbers from 1. */
static uint64_t pack(uintptr_t pc, struct mp_rule rule)
{
	int64_t saved;

	if (pc >> (TAG_BITS + CACHE_BITS) || rule.cfa_offset % CFA_UNIT ||
	    rule.bp_offset % 8 || rule.ra_offset % 8 || !pack_saved(&rule, &saved) ||
	    !fits(rule.cfa_offset / CFA_UNIT, CFA_BITS) || !fits(saved, SAVED_BITS))
		return 0;
	return (pc >> CACHE_BITS) << (64 - TAG_BITS) |
	       field(saved, SAVED_BITS) << (CFA_BITS + KIND_BITS) |
	       field(rule.cfa_offset / CFA_UNIT, CFA_BITS) << KIND_BITS |
	       (rule.kind + 1);
}

static struct mp_rule unpack(uint64_t word)
{
	struct mp_rule rule = {
		.kind = field(word, KIND_BITS) - 1,
		.cfa_offset = CFA_UNIT * unfield(word >> KIND_BITS, CFA_BITS),
	};

	unpack_saved(&rule, unfield(word >> (KIND_BITS + CFA_BITS), SAVED_BITS));
	return rule;
}

_Static_assert(TAG_BITS + SAVED_BITS + CFA_BITS + KIND_BITS == 64, "one word");
_Static_assert(MP_RULE_END + 1 < 1 << KIND_BITS, "and none is 0");

/* Returns the rule of a code address, from the cache or from mp_cfi_rule(). */
static struct mp_rule rule_at(uintptr_t pc, bool exact)
{
	uint64_t *slot = cache_slot(pc);
	uint64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);
	struct mp_rule rule;

	if (word && word >> (64 - TAG_BITS) == pc >> CACHE_BITS)
		return unpack(word);
	rule = mp_cfi_rule(pc, exact);
	word = pack(pc, rule);
	if (word)
		__atomic_store_n(slot, word, __ATOMIC_RELAXED);
	return rule;
}

/* Clears the cache: code was unloaded, and other code may be loaded at its address. */
void mp_unwind_forget(void)
{
	size_t i;

	for (i = 0; i <= CACHE_MASK; i++)
		__atomic_store_n(&cache[i], 0, __ATOMIC_RELAXED);
}

static bool page_is_readable(struct walk *w, uintptr_t at)
{
	at &= ~(PAGE - 1);
	if (at == w->page)
		return true;
	if (!mp_stack_page_is_readable(at))
		return false;
	w->page = at;
	return true;
}

static bool readable(struct walk *w, uintptr_t at, size_t size)
{
	if (at < w->low || at % sizeof(uintptr_t) || at > UINTPTR_MAX - size)
		return false;
	if (w->guessed)
		return at - w->low < GUESSED && page_is_readable(w, at) &&
		       page_is_readable(w, at + size - 1);
	if (at + size > w->high)
		w->high = mp_stack_reach(w->thread, at + size);
	return at + size <= w->high;
}

static uintptr_t word_at(uintptr_t at)
{
	return *(volatile uintptr_t *)at;
}

#ifdef __aarch64__
/*
 * Removes the signature (pointer authentication) of a return address. On a CPU without
 * signatures the instruction does nothing.
 */
static uintptr_t unsigned_address(uintptr_t address)
{
	register uintptr_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30));		/* xpaclri */
	return x30;
}

/*
 * Moves the walk to the caller, whose frame starts at @cfa. A function that a signal
 * interrupted may have no frame, and its return address in the link register.
 */
static bool enter_caller(struct walk *w, uintptr_t cfa, const struct mp_rule *rule)
{
	uintptr_t ra = w->link;

	if (!rule->ra_offset ? !ra || cfa < w->regs.sp :
	    cfa <= w->regs.sp || !readable(w, cfa + rule->ra_offset, 8))
		return false;
	if (rule->bp_offset && !readable(w, cfa + rule->bp_offset, 8))
		return false;
	if (rule->ra_offset)
		ra = word_at(cfa + rule->ra_offset);
	w->regs.pc = unsigned_address(ra);
	if (rule->bp_offset)
		w->regs.bp = word_at(cfa + rule->bp_offset);
	w->regs.sp = cfa;
	w->link = 0;
	w->loose = false;
	return true;
}
#else
/* Moves the walk to the caller, whose frame starts at @cfa. */
static bool enter_caller(struct walk *w, uintptr_t cfa, const struct mp_rule *rule)
{
	const int32_t bp_offset = rule->bp_offset;

	if (cfa <= w->regs.sp || !readable(w, cfa - 8, 8) ||
	    (bp_offset && !readable(w, cfa + bp_offset, 8)))
		return false;
	w->regs.pc = word_at(cfa - 8);
	if (bp_offset)
		w->regs.bp = word_at(cfa + bp_offset);
	w->regs.sp = cfa;
	return true;
}

static uintptr_t unsigned_address(uintptr_t address)
{
	return address;
}
#endif

/* Moves to the caller by the frame pointer. The return address is the word above it. */
static bool step_by_frame_pointer(struct walk *w)
{
	uintptr_t bp = w->regs.bp;

	w->guessed = true;
	if (bp < w->regs.sp || !readable(w, bp, 16))
		return false;
	w->regs.pc = unsigned_address(word_at(bp + 8));
	w->regs.bp = word_at(bp);
	w->regs.sp = bp + 16;
	w->link = 0;
	w->loose = !FRAME_POINTER_ENDS_FRAME;
	return true;
}

/*
 * Words of a signal frame, as distances from the stack pointer: its length as far as
 * it is read, the frame pointer, the stack pointer and the program counter.
 */
#ifdef __aarch64__
/* struct ucontext is behind a siginfo_t of 128 bytes; x30 follows x29. */
#define SIGNAL_X0	(128 + offsetof(ucontext_t, uc_mcontext.regs))
#define SIGNAL_BP	(SIGNAL_X0 + 29 * 8)
#define SIGNAL_LINK	(SIGNAL_X0 + 30 * 8)
#define SIGNAL_SP	(SIGNAL_X0 + 31 * 8)
#define SIGNAL_PC	(SIGNAL_X0 + 32 * 8)
#define SIGNAL_SIZE	(SIGNAL_X0 + 33 * 8)
#else
#define SIGNAL_BP	(40 + 10 * 8)
#define SIGNAL_SP	(40 + 15 * 8)
#define SIGNAL_PC	(40 + 16 * 8)
#define SIGNAL_SIZE	(40 + 17 * 8)
#endif

/* Code that is mapped a second time. Written once, the size at last. */
static struct {
	uintptr_t start, home;
	size_t size;
} copy;

/**
 * mp_unwind_copy() - note a second mapping of code of this library
 * @start: its address
 * @home: where the dynamic linker has put this code
 * @size: bytes
 *
 * Its rules are those of @home. There is only one copy, and it makes no calls: a stack
 * leads into it only where a signal interrupted it.
 */
void mp_unwind_copy(uintptr_t start, uintptr_t home, size_t size)
{
	copy.start = start;
	copy.home = home;
	__atomic_store_n(&copy.size, size, __ATOMIC_RELEASE);
}

static uintptr_t home_of(uintptr_t pc)
{
	const size_t size = __atomic_load_n(&copy.size, __ATOMIC_ACQUIRE);

	return size && pc - copy.start < size ? pc - copy.start + copy.home : pc;
}

/*
 * Moves from a signal handler to the interrupted code, by struct ucontext at the stack
 * pointer. The interrupted code may use another stack. A damaged table may declare any
 * frame a signal frame. So the kernel tests each page of that stack, except for the
 * part of the first thread's stack that is known to be mapped.
 */
static bool step_by_signal(struct walk *w)
{
	const uintptr_t frame = w->regs.sp;

	if (w->loose)
		return step_by_frame_pointer(w);
	if (!readable(w, frame, SIGNAL_SIZE))
		return false;
	w->regs.bp = word_at(frame + SIGNAL_BP);
	w->regs.sp = word_at(frame + SIGNAL_SP);
	w->regs.pc = home_of(word_at(frame + SIGNAL_PC));
#ifdef __aarch64__
	w->link = word_at(frame + SIGNAL_LINK);
#endif
	w->exact = true;
	if (w->regs.sp < w->low || w->regs.sp >= w->high) {
		w->low = w->regs.sp;
		w->high = mp_stack_main_end(w->regs.sp);
		w->page = 0;
		w->guessed |= !w->high;
	}
	return true;
}

#ifdef __x86_64__
/*
 * `python -X perf` calls each Python function through a copy of this code, which has
 * neither rules nor a frame pointer: sub $8, %rsp; call *%rcx; add $8, %rsp; ret. The
 * return address is behind the call.
 */
static const unsigned char trampoline[] = {
	0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3,
};
#define TRAMPOLINE_RETURN	6

static bool is_trampoline(uintptr_t pc)
{
	const volatile unsigned char *code = (const void *)(pc - TRAMPOLINE_RETURN);
	size_t i;

	if (pc < PAGE || !mp_stack_page_is_readable((uintptr_t)code & ~(PAGE - 1)) ||
	    !mp_stack_page_is_readable((uintptr_t)(code + sizeof(trampoline) - 1) &
				       ~(PAGE - 1)))
		return false;
	for (i = 0; i < sizeof(trampoline) && code[i] == trampoline[i]; i++)
		;
	return i == sizeof(trampoline);
}

static bool step_without_rule(struct walk *w, bool exact)
{
	static const struct mp_rule rule = { .kind = MP_RULE_SP, .cfa_offset = 16 };

	return !exact && !w->guessed && is_trampoline(w->regs.pc) ?
	       enter_caller(w, w->regs.sp + rule.cfa_offset, &rule) :
	       step_by_frame_pointer(w);
}
#else
static bool step_without_rule(struct walk *w, bool exact)
{
	(void)exact;
	return step_by_frame_pointer(w);
}
#endif

/*
 * Moves to the caller. Returns false if there is none; *@whole: out: the stack is
 * complete.
 */
static bool step_to_caller(struct walk *w, bool *whole)
{
	const bool exact = w->exact;
	struct mp_rule rule = rule_at(w->regs.pc - !exact, exact);
	uintptr_t cfa;

	w->exact = false;
	switch (rule.kind) {
	case MP_RULE_SP:
		if (w->loose)
			return step_by_frame_pointer(w);
		return enter_caller(w, w->regs.sp + rule.cfa_offset, &rule);
	case MP_RULE_BP:
		return enter_caller(w, w->regs.bp + rule.cfa_offset, &rule);
	case MP_RULE_BP_AT:
		cfa = w->regs.bp + rule.cfa_offset;
		return readable(w, cfa, 8) && enter_caller(w, word_at(cfa), &rule);
	case MP_RULE_PLT:
		cfa = w->regs.sp + 8 + 8 * ((w->regs.pc & 15) >= 11);
		return enter_caller(w, cfa, &rule);
	case MP_RULE_SIGNAL:
		return step_by_signal(w);
	case MP_RULE_END:
		*whole = true;
		return false;
	default:
		return step_without_rule(w, exact);
	}
}

/**
 * mp_unwind() - collect the callers of a function, innermost first
 * @thread: state of the calling thread
 * @regs: registers to start with; @regs.pc is the first frame
 * @frames: out: return addresses
 * @stack_pointers: out: where the part of the stack begins that belongs to each frame;
 *	or NULL
 * @max_depth: capacity of @frames
 * @skip: frames to omit at the start
 * @depth: out: number of @frames
 *
 * Return: why the walk ended.
 */
enum mp_walk mp_unwind(MemProfThreadState *thread, struct mp_registers regs,
		       uintptr_t *frames, uintptr_t *stack_pointers, int max_depth,
		       int skip, int *depth)
{
	struct walk w = { .regs = regs, .low = regs.sp, .thread = thread };
	bool whole = false;

	*depth = 0;
	w.high = mp_stack_end(thread, regs.sp);
	for (;;) {
		if (!w.regs.pc)
			return MP_WALK_WHOLE;
		if (skip > 0) {
			skip--;
		} else {
			if (*depth >= max_depth)
				return MP_WALK_CUT;
			if (stack_pointers)
				stack_pointers[*depth] = w.regs.sp;
			frames[(*depth)++] = w.regs.pc;
		}
		if (!w.high && !w.guessed)
			return MP_WALK_NOTHING;
		if (!step_to_caller(&w, &whole))
			return whole ? MP_WALK_WHOLE : MP_WALK_LOST;
	}
}
