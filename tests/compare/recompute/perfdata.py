# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads perf.data: everything in a recording that our reports are made of.

Written from the kernel's perf.data-file-format.txt and uapi/linux/perf_event.h; shares nothing with util/perfdata. 
Files (finished or not), pipes, both byte orders, compressed or not; compressed records are decompressed by the
`zstd` command.

    recording = Recording(path)
    recording.records     Sample, Comm, Fork, Exit and Cgroup in the order in which they happened
    recording.formats     id of a tracepoint -> tracepoint.Format
"""
import bisect
import collections
import struct
import subprocess

import tracepoint

MAGICS = {b'PERFILE2': '<', b'2ELIFREP': '>'}

# records: the kernel's, and those of tools
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES, CGROUP = 1, 2, 3, 4, 7, 9, 10, 13, 19
ATTR, EVENT_TYPE, TRACING_DATA, FINISHED_ROUND, AUXTRACE, FEATURE, COMPRESSED, COMPRESSED2 = \
    64, 65, 66, 68, 71, 80, 81, 83
# "KEMEARLY": our recorder's formats and lines about the machine; until 2026 in EVENT_TYPE
EVENT_UPDATE, EARLY_MAGIC = 78, 0x594c5241454d454b

# features
F_TRACING_DATA, F_BUILD_ID, F_HOSTNAME, F_OSRELEASE, F_ARCH, F_NRCPUS = 1, 2, 3, 4, 6, 7
F_NUMA_TOPOLOGY, F_SAMPLE_TIME, F_RECORDING_INFO = 14, 21, 200

# perf_event_attr.sample_type
(IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW) = (1 << i for i in range(11))
IDENTIFIER = 1 << 16
SAMPLE_CGROUP = 1 << 21
# branches, registers, stack, weight, where data came from, transaction, physical address: between RAW and the cgroup
BEFORE_CGROUP = sum(1 << i for i in (11, 12, 13, 14, 15, 17, 18, 19, 24))
SAMPLE_ID_ALL = 18  # bit of the flags

Sample = collections.namedtuple('Sample', 'time event pid tid cpu chain raw cgroup')
Comm = collections.namedtuple('Comm', 'time tid comm')
Cgroup = collections.namedtuple('Cgroup', 'time id path')
Fork = collections.namedtuple('Fork', 'time tid parent')
Exit = collections.namedtuple('Exit', 'time tid')


class Broken(Exception):
    """Not a recording that this reader can read."""


class Event:
    """One perf_event_attr, and what happened to its samples."""

    def __init__(self, order, attr):
        size, = struct.unpack_from(order + 'I', attr, 4)
        self.type, = struct.unpack_from(order + 'I', attr, 0)
        self.config, self.period, self.sample_type, self.read_format, flags = \
            struct.unpack_from(order + '5Q', attr, 8)
        self.size = size or 64
        # where numbers are big-endian, bit fields begin at the other end of the word
        self.id_all = bool(flags >> (SAMPLE_ID_ALL if order == '<' else 63 - SAMPLE_ID_ALL) & 1)
        self.samples = self.lost_records = self.lost_samples = 0
        self.order = order
        self.name = None
        self._fixed()

    def _fixed(self):
        """The numbers that come before what has no fixed size."""
        layout = self.order
        self.at = {}
        for bit, code in ((IDENTIFIER, 'Q'), (IP, 'Q'), (TID, 'iI'), (TIME, 'Q'), (ADDR, 'Q'), (ID, 'Q'),
                          (STREAM_ID, 'Q'), (CPU, 'iI'), (PERIOD, 'Q')):
            if self.sample_type & bit:
                self.at[bit] = len([c for c in layout if c.isalpha()])
                layout += code
        self.fixed = struct.Struct(layout)

    def sample(self, data, at, end):
        """The record's body data[at:end]."""
        order, kind = self.order, self.sample_type
        words = self.fixed.unpack_from(data, at)
        at += self.fixed.size
        if kind & READ:
            at += 8 * self._read_words(data, at)
        chain = ()
        if kind & CALLCHAIN:
            count, = struct.unpack_from(order + 'Q', data, at)
            if at + 8 + 8 * count > end:
                raise Broken('callchain')
            chain = struct.unpack_from(f'{order}{count}Q', data, at + 8)
            at += 8 + 8 * count
        raw = b''
        if kind & RAW:
            size, = struct.unpack_from(order + 'I', data, at)
            if at + 4 + size > end:
                raise Broken('raw data')
            raw = data[at + 4:at + 4 + size]
            at += 4 + size
        cgroup = None
        if kind & SAMPLE_CGROUP:
            if kind & BEFORE_CGROUP:
                raise Broken('what is before the cgroup is not read')
            cgroup, = struct.unpack_from(order + 'Q', data, at)
        place = self.at
        tid = place.get(TID)
        return Sample(words[place[TIME]] if TIME in place else 0, self,
                      words[tid] if tid is not None else -1,
                      struct.unpack('i', struct.pack('I', words[tid + 1]))[0] if tid is not None else -1,
                      words[place[CPU]] if CPU in place else -1, chain, raw, cgroup)

    def _read_words(self, data, at):
        f = self.read_format
        per_event = 1 + bool(f & 4) + bool(f & 16)
        times = bool(f & 1) + bool(f & 2)
        if not f & 8:
            return per_event + times
        count, = struct.unpack_from(self.order + 'Q', data, at)
        return 1 + times + count * per_event


class Recording:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = f.read()
        self.path = path
        self.order = MAGICS.get(self.data[:8])
        if not self.order:
            raise Broken('no perf.data')
        self.events, self.by_id = [], {}
        self.features = {}
        self.records, self.rounds = [], []
        self.page_size, self.long_size, self.big_endian = 4096, 8, self.order == '>'
        self.formats, self.kallsyms = {}, ''
        self.packed = []
        self.nodes = {}  # CPU -> its NUMA node
        self.nr_nodes = 0
        self.hostname = self.osrelease = self.arch = self.build_id = None
        self.cpus = 0
        self.info = ''
        self.text_symbol, self.text_address = None, 0
        self.early = bytearray()
        self.info = bytearray()
        self.finished = True
        header_size, = self.unpack('Q', 8)
        if header_size == 16:
            self._read_records(16, len(self.data))
        else:
            self._read_file()
        if self.packed:
            self._read_packed()
        self._read_features()
        self._put_in_order()
        self._read_length()
        for event in self.events:
            # one of the dummies that only have side-band records
            self._name(event)

    def unpack(self, layout, at, data=None):
        return struct.unpack_from(self.order + layout, self.data if data is None else data, at)

    def _read_file(self):
        attr_size, attrs_at, attrs_size, data_at, data_size = self.unpack('5Q', 16)
        bits = int.from_bytes(b''.join(struct.pack('>Q', w) for w in reversed(self.unpack('4Q', 72))), 'big')
        for at in range(attrs_at, attrs_at + attrs_size, attr_size):
            ids_at, ids_size = self.unpack('2Q', at + attr_size - 16)
            self._add_event(self.data[at:at + attr_size - 16], self.unpack(f'{ids_size // 8}Q', ids_at))
        self.finished = data_size != 0
        end = data_at + data_size if self.finished else len(self.data)
        if self.finished:
            table = end
            for number in range(256):
                if bits >> number & 1:
                    at, size = self.unpack('2Q', table)
                    self.features[number] = self.data[at:at + size]
                    table += 16
        self._read_records(data_at, end)

    def _add_event(self, attr, ids):
        event = Event(self.order, attr)
        self.events.append(event)
        for one in ids:
            self.by_id[one] = event

    def _read_records(self, at, end, data=None):
        """The records of data[at:end]; returns where the first incomplete one begins."""
        data = self.data if data is None else data
        header = struct.Struct(self.order + 'IHH')
        while at + 8 <= end:
            kind, misc, size = header.unpack_from(data, at)
            if size < 8 or at + size > end:
                break
            if kind == TRACING_DATA:
                length, = self.unpack('I', at + 8, data)
                self.features[F_TRACING_DATA] = data[at + size:at + size + length]
                at += length + -length % 8
            elif kind == AUXTRACE:
                at += self.unpack('Q', at + 8, data)[0]
            else:
                self._take(kind, misc, data, at + 8, at + size)
            at += size
        return at

    def _take(self, kind, misc, data, at, end):
        if kind == SAMPLE:
            event = self._event_of_sample(data, at)
            if event:
                event.samples += 1
                self.records.append(event.sample(data, at, end))
        elif kind == COMM:
            tid, = self.unpack('i', at + 4, data)
            comm = bytes(data[at + 8:end]).split(b'\0', 1)[0]
            self.records.append(Comm(self._time(data, end), tid, comm))
        elif kind == CGROUP:
            one, = self.unpack('Q', at, data)
            path = bytes(data[at + 8:end]).split(b'\0', 1)[0]
            self.records.append(Cgroup(self._time(data, end), one, path))
        elif kind == FORK:
            _, _, tid, parent, time = self.unpack('4iQ', at, data)
            self.records.append(Fork(time, tid, parent))
        elif kind == EXIT:
            _, _, tid, _, time = self.unpack('4iQ', at, data)
            self.records.append(Exit(time, tid))
        elif kind == LOST:
            one, lost = self.unpack('2Q', at, data)
            self._event(one).lost_records += lost
        elif kind == LOST_SAMPLES:
            if not misc & 1 << 15:  # those a BPF program chose to drop
                self._event_at_end(data, end).lost_samples += self.unpack('Q', at, data)[0]
        elif kind in (MMAP, MMAP2):
            pid, _, start, _, pgoff = self.unpack('2i3Q', at, data)
            name = bytes(data[at + (64 if kind == MMAP2 else 32):end]).split(b'\0', 1)[0].decode()
            if pid == -1 and name.startswith('[kernel.kallsyms]'):
                # the address of this symbol in the recorded kernel
                self.text_symbol, self.text_address = name[len('[kernel.kallsyms]'):], pgoff
        elif kind == ATTR:
            size, = self.unpack('I', at + 4, data)
            ids = data[at + (size or 64):end]
            self._add_event(data[at:at + (size or 64)], self.unpack(f'{len(ids) // 8}Q', 0, ids))
        elif kind == FEATURE:
            self.features[self.unpack('Q', at, data)[0]] = data[at + 8:end]
        elif kind in (EVENT_TYPE, EVENT_UPDATE) and end - at >= 32 and \
                self.unpack('Q', at, data)[0] == EARLY_MAGIC:
            at += 8 if kind == EVENT_TYPE else 16
            what, _, _, size = self.unpack('4I', at, data)
            if what == F_RECORDING_INFO:
                self.info += data[at + 16:at + 16 + size]
            elif what == F_TRACING_DATA:
                self.early += data[at + 16:at + 16 + size]
        elif kind == FINISHED_ROUND:
            self.rounds.append(len(self.records))
        elif kind == COMPRESSED:
            self.packed.append(data[at:end])
        elif kind == COMPRESSED2:
            size, = self.unpack('Q', at, data)
            self.packed.append(data[at + 8:at + 8 + size])

    def _read_packed(self):
        """All packed records are pieces of one zstd stream, and that is a stream of records.

        Its last frame was never ended; an empty last block does that. Without it, zstd does not write what it still
        has.
        """
        stream = b''.join(self.packed) + b'\1\0\0'
        done = subprocess.run(['zstd', '-dcq'], input=stream, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False)
        self._read_records(0, len(done.stdout), done.stdout)

    def _event(self, one):
        return self.by_id.get(one) or self.events[0]

    def _event_of_sample(self, data, at):
        first = self.events[0]
        if len(self.events) == 1:
            return first
        place = first.at.get(IDENTIFIER, first.at.get(ID))
        if place is None:
            return first
        if IDENTIFIER in first.at:
            one, = self.unpack('Q', at, data)
        else:
            one = first.fixed.unpack_from(data, at)[place]
        return self.by_id.get(one)

    def _trailer(self, event):
        """The fields after a record that is not a sample, from the end: bits of sample_type."""
        return [bit for bit in (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER) if event.sample_type & bit]

    def _trailer_word(self, data, end, *wanted):
        event = self.events[0]
        bits = self._trailer(event) if event.id_all else []
        for bit in wanted:
            if bit in bits:
                return self.unpack('Q', end - 8 * (len(bits) - bits.index(bit)), data)[0]
        return None

    def _time(self, data, end):
        return self._trailer_word(data, end, TIME) or 0

    def _event_at_end(self, data, end):
        return self._event(self._trailer_word(data, end, IDENTIFIER, ID))

    def _string(self, feature):
        data = self.features.get(feature)
        if not data:
            return None
        size, = self.unpack('I', 0, data)
        return bytes(data[4:4 + size]).split(b'\0', 1)[0].decode()

    def _read_features(self):
        self.hostname = self._string(F_HOSTNAME)
        self.osrelease = self._string(F_OSRELEASE)
        self.arch = self._string(F_ARCH)
        if F_NRCPUS in self.features:
            self.cpus, = self.unpack('I', 0, self.features[F_NRCPUS])
        self.info += self.features.get(F_RECORDING_INFO, b'')
        self.info = self.info.decode(errors='replace')
        self._read_build_id()
        self._read_topology()
        tracing = self.features.get(F_TRACING_DATA) or bytes(self.early)
        if tracing:
            self._read_tracing(bytes(tracing))

    def _put_in_order(self):
        """Sort by time, equal times in file order: Python's sort leaves them so.

        According to the format, nothing older than the newest of the round before last follows a round, so that
        much can be handed out.  Records that are too late even so are placed after it.
        """
        time_of = lambda record: record.time
        ordered, pending, done, newest, start = [], [], 0, 0, 0
        for end in self.rounds if not self.packed else []:
            new = self.records[start:end]
            start = end
            newest = max([newest, *map(time_of, new)])
            pending = sorted(pending + new, key=time_of)
            ready = bisect.bisect_right(list(map(time_of, pending)), done)
            ordered += pending[:ready]
            del pending[:ready]
            done = newest
        self.records = ordered + sorted(pending + self.records[start:], key=time_of)

    def told(self, key):
        """The facts that our recorder adds to stock's features: lines of "key: value". None: nothing."""
        for line in self.info.splitlines():
            if line.startswith(key + ': '):
                return line.split(': ', 1)[1]
        return None

    def missing(self, event):
        """Samples that are missing: lost, or counted by the kernel and never delivered."""
        for line in self.info.splitlines():
            words = line.split()
            if words[:2] == ['event:', event.name]:
                counted = dict(word.split('=') for word in words[2:])
                return max(int(counted.get('count', 0)) - event.samples, event.lost_samples)
        return event.lost_samples

    def _read_length(self):
        """The time that was recorded: as stated in the file, if it is."""
        times = [record.time for record in self.records if isinstance(record, Sample)] or [0]
        self.first_ns, self.last_ns = min(times), max(times)
        self.start_ns, self.stop_ns = self.first_ns, self.last_ns
        data = self.features.get(F_SAMPLE_TIME)
        start, stop = self.unpack('2Q', 0, data) if data else (0, 0)
        if stop:
            self.start_ns, self.stop_ns = min(start, self.first_ns), max(stop, self.last_ns)

    def _read_build_id(self):
        """The kernel's: of one release there may be many builds."""
        data, at = self.features.get(F_BUILD_ID, b''), 0
        while at + 36 <= len(data):
            _, misc, size = self.unpack('IHH', at, data)
            name = bytes(data[at + 36:at + size]).split(b'\0', 1)[0]
            if name.startswith(b'[kernel.kallsyms]'):
                length = data[at + 32] if misc & 1 << 15 else 20
                self.build_id = bytes(data[at + 12:at + 12 + length])
            at += max(size, 8)

    def _read_topology(self):
        data = self.features.get(F_NUMA_TOPOLOGY)
        if not data:
            return
        count, = self.unpack('I', 0, data)
        self.nr_nodes = count
        at = 4
        for _ in range(count):
            node, = self.unpack('I', at, data)
            size, = self.unpack('I', at + 20, data)
            text = bytes(data[at + 24:at + 24 + size]).split(b'\0', 1)[0].decode()
            for part in filter(None, text.split(',')):
                first, _, last = part.partition('-')
                for cpu in range(int(first), int(last or first) + 1):
                    self.nodes[cpu] = node
            at += 24 + size

    def _read_tracing(self, data):
        at = data.index(b'\0', 10) + 1
        self.big_endian, self.long_size = bool(data[at]), data[at + 1]
        self.page_size, = self.unpack('I', at + 2, data)
        at += 6
        for name in b'header_page', b'header_event':
            at += len(name) + 1
            at += 8 + self.unpack('Q', at, data)[0]

        def texts(count):
            nonlocal at
            for _ in range(count):
                size, = self.unpack('Q', at, data)
                yield data[at + 8:at + 8 + size].decode(errors='replace')
                at += 8 + size

        def number():
            nonlocal at
            at += 4
            return self.unpack('I', at - 4, data)[0]

        list(texts(number()))  # ftrace's own
        for _ in range(number()):
            end = data.index(b'\0', at)
            system, at = data[at:end].decode(), end + 1
            for text in texts(number()):
                one = tracepoint.Format(system, text, self.order, self.long_size)
                self.formats[one.id] = one
        if at + 4 <= len(data):
            size = number()
            self.kallsyms = data[at:at + size].decode(errors='replace')

    def _name(self, event):
        one = self.formats.get(event.config) if event.type == 2 else None
        event.format = one
        event.name = f'{one.system}:{one.name}' if one else None
