/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-tables-read: the data that the child sends, from which the image is
 * made
 */
#ifndef MP_FRAME_TABLES_READ_H
#define MP_FRAME_TABLES_READ_H

#include "frame-image.h"

#include <stdio.h>

/* Limit of loadable segments in a file. Linkers make 4 to 6. */
#define MP_FRAME_SEGMENTS	64

/** struct mp_frame_segment - a loadable segment */
struct mp_frame_segment {
	uint64_t address, offset, file_size, memory_size, align;
	uint32_t flags;
	uint32_t reserved;
};

/* Parts of the image: the sections .eh_frame_hdr, .eh_frame and .debug_frame. */
enum mp_frame_part { MP_FRAME_HDR, MP_FRAME_EH, MP_FRAME_DEBUG, MP_FRAME_PARTS };

/**
 * struct mp_frame_tables - header of the data that the child sends; the parts
 * follow
 * @why: reason why the file is refused; empty if it is not refused
 * @is_usable: false if it is no program or library, or has another build-id
 * @machine: as in the ELF header
 * @type: as in the ELF header
 * @nr_segments: number of @segments
 * @segments: the loadable segments
 * @address: virtual address of each part
 * @size: bytes of each part; 0: the file has no such part
 */
struct mp_frame_tables {
	char why[128];
	uint32_t is_usable;
	uint16_t machine, type;
	uint32_t nr_segments;
	uint32_t reserved;
	struct mp_frame_segment segments[MP_FRAME_SEGMENTS];
	uint64_t address[MP_FRAME_PARTS];
	uint64_t size[MP_FRAME_PARTS];
};

/** struct mp_frame_question - tells the child which file to read */
struct mp_frame_question {
	int fd;
	struct mp_binary binary;
};

/** mp_frame_tables_send - send a file's tables, see struct mp_isolate_stream */
bool mp_frame_tables_send(void *context, FILE *to);

#endif
