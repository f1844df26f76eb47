#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Shows which lists, dicts, sets and deques of a running Python grow, and what they are called: what
# leaks is kept in one of them. A cache that fills grows, too, until it is full.
#
# The memory of the process is read, up to a dozen times, at some 300 MB a second. The process is
# not stopped, and nothing is put into it: what changes meanwhile may be missed.
#
# What it leaves out: subclasses that a program makes of these types, what grew by fewer than 100
# entries, and memory that is swapped out. What is in a dict has that dict's name and its key, if it
# is among the first 2700. What only C code, a list or a tuple has, has no name.
# It knows CPython 3.8 to 3.13, without their free-threaded builds.
#
# usage: memprofctl help python | python3 -I - PID [SECONDS]
import array, itertools, os, re, signal, stat, struct, sys, time

PAGE = os.sysconf('SC_PAGESIZE')
PIECE = 1 << 20
CHUNK = 1 << 30
LEAST = 100
MOST_SHOWN = 5
MOST_REFERENCES = 50
MOST_TABLES = 20
MOST_NAMING = 60
MOST_CONTAINERS = 1000000
MOST_BYTES = 1 << 28
MOST_RESERVED = 4 << 40
# of the two highest bits of pagemap: in memory, swapped out
IN_MEMORY = bytes([0, 0, 1, 1]) + bytes(252)
ONE = struct.pack('<Q', 1)

def fail(text):
    sys.exit(text)

signal.signal(signal.SIGINT, signal.SIG_DFL)
if len(sys.argv) < 2 or not all(re.fullmatch('[0-9]{1,7}', a) for a in sys.argv[1:]):
    fail('usage: memprofctl help python | python3 -I - PID [SECONDS]')
pid = int(sys.argv[1])
seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 10

def mappings():
    'start, end, rights, offset and path of each'
    with open('/proc/%d/maps' % pid, errors='surrogateescape') as file:
        for line in file:
            f = line.rstrip('\n').split(None, 5)
            start, end = (int(n, 16) for n in f[0].split('-'))
            yield start, end, f[1], int(f[2], 16), f[5] if len(f) > 5 else ''

try:
    memory = os.open('/proc/%d/mem' % pid, os.O_RDONLY)
    pagemap = os.open('/proc/%d/pagemap' % pid, os.O_RDONLY)
    maps = list(mappings())
except OSError as error:
    fail('process %d: %s' % (pid, error.strerror))
python = [m for m in maps if re.search(r'/(lib)?python3\.\d+[^/]*$', m[4])]
python.sort(key=lambda m: (not os.path.basename(m[4]).startswith('lib'), m[0]))
if not python:
    fail('process %d is no python3' % pid)
version = int(re.search(r'python3\.(\d+)', os.path.basename(python[0][4])).group(1))
if not 8 <= version <= 13 or re.search(r'3\.\d+t', python[0][4]):
    fail('process %d is a Python that is not known: 3.8 to 3.13 are' % pid)

def symbols(start, end, path, names):
    'addresses of symbols in an ELF file, and its type'
    try:
        # the file that is mapped, also if it was replaced or removed; root may open it
        fd = os.open('/proc/%d/map_files/%x-%x' % (pid, start, end), os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        fd = os.open('/proc/%d/root%s' % (pid, path), os.O_RDONLY | os.O_NONBLOCK)
    # that may be anything
    if not stat.S_ISREG(os.fstat(fd).st_mode) or os.fstat(fd).st_size > MOST_BYTES:
        fail('%s is no program' % path)
    with open(fd, 'rb') as file:
        data = file.read()
    kind, = struct.unpack_from('<H', data, 16)
    table, = struct.unpack_from('<Q', data, 40)
    size, number = struct.unpack_from('<HH', data, 58)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, table + i * size) for i in range(number)]
    found = {}
    for section in sections:
        if section[1] != 11:
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, _, value, _ = struct.unpack_from('<IBBHQQ', data, at)
            text = data[strings + name:strings + name + 64].split(b'\0')[0].decode(errors='replace')
            if text in names:
                found[text] = value
    return found, kind

TYPES = {'PyList_Type': 'list', 'PyDict_Type': 'dict', 'PySet_Type': 'set',
         'PyODict_Type': 'OrderedDict', 'PyUnicode_Type': 'str', 'PyType_Type': 'type',
         'PyLong_Type': 'int',
         'PyCode_Type': 'code', 'PyCell_Type': 'cell', 'PyTuple_Type': 'tuple',
         'PyFunction_Type': 'function'}
try:
    found, kind = symbols(*python[0][:2], python[0][4], TYPES)
except (OSError, OverflowError, struct.error, IndexError) as error:
    fail('%s cannot be read: %s' % (python[0][4], error))
base = python[0][0] - python[0][3] if kind == 3 else 0
types = {TYPES[name]: base + value for name, value in found.items()}
if len(types) < len(TYPES):
    fail('%s has no symbols of Python' % python[0][4])

# in a type: its name, the bytes of its objects, its flags, and the keys of their attributes
TP_NAME, TP_BASICSIZE, TP_FLAGS, TP_DICTOFFSET = 24, 32, 168, 288
HT_CACHED_KEYS = 872 if version <= 11 else 880
INLINE_VALUES, MANAGED_DICT = 1 << 2, 1 << 4
# in the keys of a dict: how many there are
NR_KEYS = 24 if version >= 11 else 32

# in a frame: its code and its variables; in code: their names, and its own; in a function
FRAME_CODE = 32 if version <= 11 else 0
FRAME_VARIABLES = 360 if version <= 9 else 352 if version == 10 else 72
CODE_VARIABLES, CODE_NAME = (96, 128) if version >= 11 else (72, 112)
FUNCTION_CODE, FUNCTION_CLOSURE = (48, 72) if version >= 10 else (16, 48)
MOST_VARIABLES = 200

def read(address, size):
    try:
        return os.pread(memory, size, address)
    except (OSError, OverflowError):
        return b''

def word(address):
    data = read(address, 8) if address > 0 else b''
    return struct.unpack('<Q', data)[0] if len(data) == 8 else 0

def text_at(address, most=64):
    data = read(address, most).split(b'\0')[0]
    text = data.decode(errors='replace')
    return text if text.isprintable() else ''

def type_of(address):
    return word(address + 8)

def type_name(address):
    return text_at(word(type_of(address) + TP_NAME)) or 'object'

def name_at(address):
    'the text of a str, if it can be a name'
    if address % 8 or not address or type_of(address) != types['str']:
        return ''
    length = word(address + 16)
    if not 0 < length <= 100:
        return ''
    text = read(address + (40 if version >= 12 else 48), length).decode(errors='replace')
    return text if text.isidentifier() else ''

def name_of_code(code):
    text = word(code + CODE_NAME)
    if type_of(text) != types['str']:
        return '?'
    header = 40 if version >= 12 else 48
    shown = read(text + header, min(word(text + 16), 100)).decode(errors='replace')
    return shown if shown.isprintable() else '?'

def item(tuple_at, index):
    there = type_of(tuple_at) == types['tuple'] and 0 <= index < word(tuple_at + 16)
    return word(tuple_at + 24 + 8 * index) if there else 0

def are_there(start, end):
    'of each page whether it is in memory'
    global swapped
    here = array.array('Q')
    try:
        here.frombytes(os.pread(pagemap, (end - start) // PAGE * 8, start // PAGE * 8))
    except (OSError, ValueError):
        return b''
    if not any(here):
        return b''
    states = bytes(entry >> 62 for entry in here)
    swapped += states.count(1)
    return states.translate(IN_MEMORY)

def runs(start, end):
    'address and bytes of pages in memory that follow each other'
    for begin in range(start, end, CHUNK):
        here = are_there(begin, min(end, begin + CHUNK))
        first = here.find(1)
        while first >= 0:
            last = here.find(0, first)
            last = last if last >= 0 else len(here)
            for at in range(first, last, PIECE // PAGE):
                yield begin + at * PAGE, min(PIECE, (last - at) * PAGE)
            first = here.find(1, last)

deadline = float('inf')

def hurry():
    'names are worth a minute'
    if time.monotonic() > deadline:
        raise TimeoutError

def pieces():
    'address and data of all memory that can be written and is there'
    for start, end, rights, _, path in maps:
        if 'rw' in rights and not path.startswith(('/dev', '/memfd', '/SYSV', '[v')):
            for address, size in runs(start, end):
                hurry()
                yield address, read(address, size)

def places(data, pattern):
    at = data.find(pattern)
    while at >= 0:
        if at % 8 == 0:
            yield at
        at = data.find(pattern, at + 1)

# where an object has its number of entries
SIZES = {'list': 16, 'dict': 16, 'OrderedDict': 16, 'defaultdict': 16, 'deque': 16, 'set': 24}

def containers():
    'address of each container: its type and number of entries'
    sizes = {}
    patterns = [(kind, struct.pack('<Q', types[kind]), SIZES[kind])
                for kind in SIZES if kind in types]
    for start, data in pieces():
        for kind, pattern, offset in patterns:
            for at in places(data, pattern):
                if at < 8 or at + offset > len(data):
                    continue
                references, = struct.unpack_from('<q', data, at - 8)
                size, = struct.unpack_from('<q', data, at - 8 + offset)
                if references > 0 and LEAST <= size < 1 << 40 and len(sizes) < MOST_CONTAINERS:
                    sizes[start + at - 8] = kind, size
    return sizes

def entries(keys):
    'address of the first key of a table, and bytes from one key to the next'
    if version >= 11:
        indices = 1 << read(keys + 9, 1)[0]
        is_general = read(keys + 10, 1) == b'\0'
        at = keys + 32 + indices
        return (at + 8, 24) if is_general else (at, 16)
    size = word(keys + 8)
    return keys + 40 + size * (1 if size <= 0xff else 2 if size <= 0xffff else 4) + 8, 24

def key_at(keys, index):
    if not 0 <= index < word(keys + NR_KEYS):
        return ''
    try:
        first, step = entries(keys)
    except IndexError:
        return ''
    return name_at(word(first + index * step))

# bytes from one value to the next, of an entry before its value, of the header, and the kind
TABLES = ((16, 8, 32, 1), (24, 16, 32, 0)) if version >= 11 else ((24, 16, 40, None),)

def is_table(data, header, log, kind, number):
    'whether a table begins there that has more entries than this number'
    if data[header:header + 8] != ONE:
        return False
    if kind is None:
        begins = data[header + 8:header + 16] == struct.pack('<Q', 1 << log)
    else:
        begins = data[header + 9:header + 11] == bytes([log, kind])
    return begins and struct.unpack_from('<Q', data, header + NR_KEYS)[0] > number

def table_of(at):
    'address of the table of a dict that has a value at this address; 0: there is none'
    hurry()
    for size in 65536, 8192, 1024, 256:
        data = read(at - size, size)
        if len(data) == size:
            break
    else:
        return 0
    for step, before, head, kind in TABLES:
        for number in range((size - before) // step):
            for log in range(3, 17):
                wide = 1 if kind is not None or log < 8 else 2 if log < 16 else 4
                header = size - before - step * number - (wide << log) - head
                if header < 0:
                    break
                if is_table(data, header, log, kind, number):
                    return at - size + header
    return 0

def key_of(at):
    'the name that is the key of a value in a dict'
    key = word(at - 8)
    name = name_at(key)
    if not name or (word(at - 16) != word(key + 24) and not (version >= 11 and table_of(at))):
        return ''
    return name

def key_text(key):
    'how a program writes a key that is a str or a small int'
    if type_of(key) == types['str']:
        text = read(key + (40 if version >= 12 else 48), min(word(key + 16), 40)).decode(errors='replace')
        cut = '...' if word(key + 16) > 40 else ''
        return repr(text) + cut if text.isprintable() else ''
    number = word(key + 16)
    digits = number >> 3 if version >= 12 else number
    # those below 0 have another sign
    if type_of(key) != types['int'] or digits > 1 or (version >= 12 and number & 3 == 2):
        return ''
    return str(word(key + 24) & (1 << 30) - 1)

def references(targets):
    'addresses of the words that have one of these values'
    patterns = [(target, struct.pack('<Q', target)) for target in targets]
    found = {target: [] for target in targets}
    for start, data in pieces():
        for target, pattern in patterns:
            room = MOST_REFERENCES - len(found[target])
            found[target] += [start + at for at in itertools.islice(places(data, pattern), room)]
    return found

def texts(wanted):
    'addresses of names: in constants, or from 3.12 on in copies'
    for start, end, rights, _, path in maps:
        if 'r' in rights and 'w' not in rights and re.search('python3|_collections', path):
            data = read(start, min(end - start, MOST_BYTES))
            for text, kind in wanted.items():
                at = data.find(b'\0' + text + b'\0')
                if at >= 0:
                    yield start + at + 1, kind
    for start, data in pieces() if version >= 12 else ():
        for text, kind in wanted.items():
            for at in places(data, text + b'\0'):
                yield start + at, kind

def add_types():
    'types that have no symbol: by their names'
    called = dict(texts({b'collections.defaultdict': 'defaultdict', b'collections.deque': 'deque'}))
    for text, hits in references(list(called)).items():
        for at in hits:
            if type_of(at - TP_NAME) == types['type']:
                types[called[text]] = at - TP_NAME

def near(places_of):
    'words that point to one of these addresses, or up to 64 words before'
    low = {at // 512 for at in places_of} | {at // 512 - 1 for at in places_of}
    for start, data in pieces():
        words = array.array('Q')
        words.frombytes(data[:len(data) // 8 * 8])
        for i, value in enumerate(words):
            if i % 4096 == 0:
                hurry()
            # 3.12 tells values from a dict by a pointer that is less by one
            if value // 512 in low and value % 2 == (version == 12):
                for at in places_of:
                    if at - 512 <= value + value % 2 <= at:
                        yield start + i * 8, value + value % 2, at

def attribute(holder, values, at):
    'how an attribute of an object is called, whose values are in an array; holder: who has that'
    index = (at - values) // 8
    if version <= 10:
        if type_of(holder - 40) == types['dict']:
            name = key_at(word(holder - 8), index)
            return name and 'attribute %s' % name
        return ''
    owner = holder + (32 if version == 11 else 24)
    kind = type_of(owner)
    if not kind or not word(kind + TP_FLAGS) & MANAGED_DICT:
        return ''
    keys = word(kind + HT_CACHED_KEYS)
    name = keys and key_at(keys, index)
    return name and '%s.%s' % (type_name(owner), name)

def inline_attribute(at):
    'of 3.13 on: the values stand behind the object'
    for owner in range(at - 16, at - 600, -8):
        kind = type_of(owner)
        if kind % 8 or types['type'] not in (type_of(kind), type_of(type_of(kind))):
            continue
        if not word(kind + TP_FLAGS) & INLINE_VALUES:
            continue
        values = owner + word(kind + TP_BASICSIZE) + 8
        keys = word(kind + HT_CACHED_KEYS)
        name = keys and values <= at and key_at(keys, (at - values) // 8)
        if name:
            return '%s.%s' % (type_name(owner), name)
    return ''

def slot(at):
    'of a class with __slots__: the attribute that is at an address'
    for owner in range(at - 16, at - 600, -8):
        kind = type_of(owner)
        if kind % 8 or not kind or types['type'] not in (type_of(kind), type_of(type_of(kind))):
            continue
        if not at - owner < word(kind + TP_BASICSIZE) < 4096 or not 0 < word(kind + 16) <= 500:
            continue
        members = kind + word(type_of(kind) + TP_BASICSIZE)
        for member in range(members, members + 40 * word(kind + 16), 40):
            if word(member + 16) == at - owner:
                name = text_at(word(member))
                return '%s.%s' % (type_name(owner), name) if name.isidentifier() else ''
    return ''

def variable(at):
    'the variable of a function that is at an address'
    for index in range(MOST_VARIABLES):
        code = word(at - FRAME_VARIABLES - 8 * index + FRAME_CODE)
        if code and code % 8 == 0 and type_of(code) == types['code']:
            name = name_at(item(word(code + CODE_VARIABLES), index))
            if name:
                return '%s of %s()' % (name, name_of_code(code))
    return ''

def shared_variables(cells):
    'the variables that closures share, by the address of their cells'
    named, rows = {}, {}
    for cell, hits in references(cells).items():
        for at in hits:
            name = variable(at)
            if name:
                named[cell] = name
            for index in range(MOST_VARIABLES):
                if item(at - 24 - 8 * index, index) == cell:
                    rows[at - 24 - 8 * index] = index, cell
    for row, hits in references(list(rows)).items() if rows else ():
        index, cell = rows[row]
        for at in hits:
            function = at - FUNCTION_CLOSURE
            if cell in named or type_of(function) != types['function']:
                continue
            code = word(function + FUNCTION_CODE)
            if version >= 11:
                variables = word(code + CODE_VARIABLES)
                index += word(variables + 16) - word(row + 16)
            else:
                variables = word(code + 80)
            name = name_at(item(variables, index))
            if name:
                named[cell] = '%s of %s()' % (name, name_of_code(code))
    return named

def is_namespace(holder, hits):
    'whether a dict is what a module, a class or an object has its attributes in'
    if key_at(word(holder + 32), 0) in ('__name__', '__module__'):
        return True
    for at in hits:
        if version >= 11 and any(word(type_of(at + n) + TP_FLAGS) & MANAGED_DICT for n in (24, 32)
                                 if type_of(type_of(at + n)) == types['type']):
            return True
        if any(word(type_of(at - n) + TP_DICTOFFSET) == n for n in range(16, 208, 8)
               if type_of(type_of(at - n)) == types['type']):
            return True
    return False

def add_keys(named, found):
    'names those that are values of a dict by that dict and their keys'
    tables, holders = {}, {}
    dicts = [types[kind] for kind in ('dict', 'OrderedDict', 'defaultdict') if kind in types]
    for target, hits in found.items():
        for at in hits:
            text = type_of(word(at - 8)) in (types['str'], types['int']) and key_text(word(at - 8))
            table = table_of(at) if text and len(tables) < MOST_TABLES else 0
            if table:
                tables.setdefault(table, []).append((target, text))
    for table, hits in references(list(tables)).items() if tables else ():
        for at in hits:
            if type_of(at - 32) in dicts and len(holders) < MOST_TABLES:
                holders[at - 32] = tables[table]
    named_holders, found = names(list(holders), False) if holders else ({}, {})
    for holder, values in holders.items():
        name = named_holders.get(holder)
        if name and not is_namespace(holder, found[holder]):
            for target, text in values:
                named[target] = '%s[%s]' % (name, text)

def names(targets, with_keys=True):
    'a name of each container that has one, and the addresses of what refers to each'
    found = references(targets)
    named = {}
    for target, hits in found.items():
        for at in hits:
            name = key_of(at) or version >= 13 and inline_attribute(at) or slot(at)
            if name:
                named.setdefault(target, name)
    rest = {at: target for target, hits in found.items() if target not in named for at in hits}
    best = {}
    for holder, values, at in near(list(rest)) if rest and version < 13 else ():
        name = attribute(holder, values, at)
        if name and values > best.get(rest[at], 0):
            best[rest[at]] = values
            named[rest[at]] = name
    cells = {at - 16: target for target, hits in found.items() if target not in named
             for at in hits if type_of(at - 16) == types['cell']}
    for cell, name in shared_variables(list(cells)).items() if cells else ():
        named[cells[cell]] = name
    # what functions that have returned had is still there, behind what others have
    for target, hits in found.items():
        name = target not in named and next(filter(None, map(variable, sorted(hits))), '')
        if name:
            named[target] = name
    if with_keys:
        add_keys(named, found)
    return named, found

def describe(address, kind, size):
    'what the last entries are'
    if kind == 'list':
        last = word(word(address + 24) + (size - 1) * 8)
    elif kind != 'set' and kind != 'deque':
        keys = word(address + 32)
        number = word(keys + NR_KEYS)
        first, step = entries(keys)
        last = word(first + (number - 1) * step + 8)
    else:
        return ''
    if type_of(last) != types['dict']:
        return ', the last one of type %s' % type_name(last)
    keys = word(last + 32)
    shown = [key_at(keys, i) for i in range(min(4, word(last + 16)))]
    return ', the last one a dict {%s}' % ', '.join(name or '?' for name in shown)

print('which containers of python3.%d %d grow in %d s:' % (version, pid, seconds), file=sys.stderr)
if sum(m[1] - m[0] for m in maps if 'rw' in m[2]) > MOST_RESERVED:
    fail('process %d has more than 4 TB of addresses to look at' % pid)
swapped = 0
add_types()
before = containers()
time.sleep(seconds)
try:
    maps = list(mappings())
except OSError:
    fail('process %d has ended' % pid)
swapped = 0
after = containers()
if swapped:
    print('%d MB are swapped out, and were not looked at' % (swapped * PAGE >> 20), file=sys.stderr)
grown = [(size - before.get(address, (kind, 0))[1], address, kind, size)
         for address, (kind, size) in after.items()]
grown = sorted((g for g in grown if g[0] >= LEAST), reverse=True)
more = grown[MOST_SHOWN:]
del grown[MOST_SHOWN:]
deadline = time.monotonic() + MOST_NAMING
try:
    named, _ = names([address for _, address, _, _ in grown]) if grown else ({}, {})
except TimeoutError:
    named = {}
    print('their names cannot be found in %d s' % MOST_NAMING, file=sys.stderr)
for number, address, kind, size in grown:
    try:
        what = describe(address, kind, size)
    except (IndexError, struct.error):
        what = ''
    name = named.get(address, '(no name)')
    print('+%d  %s %s  (%d entries%s)' % (number, kind, name, size, what))
if more:
    print('and %d more, by %d entries together' % (len(more), sum(g[0] for g in more)))
if not grown:
    print('none by %d entries' % LEAST)
