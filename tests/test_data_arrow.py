"""Arrow streams: every type, chunks, nulls, dictionaries, and data that is not Arrow at all."""

from __future__ import annotations

import ctypes
import datetime as dt
import decimal
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from bough.data.arrow import from_stream
from bough.data.raw import Raw
from bough.errors import DataError

NAN = float("nan")


def only(array: pa.Array) -> Raw:
    (raw,) = from_stream(pa.table({"c": array}))
    assert raw.name == "c"
    return raw


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_whole_numbers_become_float64(kind: str) -> None:
    raw = only(pa.array([1, None, 100], getattr(pa, kind)()))
    assert raw.form == "int" and raw.values.dtype == np.float64
    np.testing.assert_array_equal(raw.values, [1, NAN, 100])


@pytest.mark.parametrize(("kind", "size"), [("float16", 4), ("float32", 4), ("float64", 8)])
def test_floats_keep_their_width(kind: str, size: int) -> None:
    numbers = np.array([1.5, -0.25, 6.1e-5, 65504.0], kind)
    raw = only(pa.array(numbers))
    assert raw.form == "float" and raw.values.dtype.itemsize == size
    np.testing.assert_array_equal(raw.values, numbers)


@pytest.mark.parametrize(
    ("array", "form", "values"),
    [
        (pa.array([dt.date(1970, 1, 3), None, dt.date(1969, 12, 31)]), "date", [2, NAN, -1]),
        (pa.array([dt.date(1970, 1, 3), None], pa.date64()), "date", [2, NAN]),
        (pa.array([1500, None, -500], pa.timestamp("ms")), "datetime", [1.5, NAN, -0.5]),
        (pa.array([3], pa.timestamp("s", tz="Asia/Tokyo")), "datetime", [3]),
        (pa.array([2_500_000], pa.timestamp("us")), "datetime", [2.5]),
        (pa.array([2_500_000_000], pa.timestamp("ns")), "datetime", [2.5]),
        (pa.array([dt.time(1, 0, 0), None]), "float", [3600, NAN]),
        (pa.array([dt.time(0, 1, 0)], pa.time32("s")), "float", [60]),
        (pa.array([dt.timedelta(days=1)]), "float", [86400]),
        (pa.nulls(2), "float", [NAN, NAN]),
        (
            pa.array([decimal.Decimal("-1.50"), None, decimal.Decimal("12345678901234567890.25")]),
            "float",
            [-1.5, NAN, 12345678901234567890.25],
        ),
        (pa.array([decimal.Decimal(-7)], pa.decimal128(38, 0)), "int", [-7]),
    ],
)
def test_numbers_of_other_types(array: pa.Array, form: str, values: list[float]) -> None:
    raw = only(array)
    assert raw.form == form and raw.levels is None
    np.testing.assert_array_equal(raw.values, values)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_text_is_coded_in_order_of_appearance(kind: pa.DataType) -> None:
    long = "a text too long for its view " * 3
    raw = only(pa.array(["z", None, long, "", "z", long, "é"], kind))
    assert raw.form == "text" and raw.levels == ("z", long, "", "é")
    assert raw.values.tolist() == [0, -1, 1, 2, 0, 1, 3]


def test_many_texts_are_told_apart() -> None:
    texts = [f"{'x' * (i % 23)}{i % 5000}" for i in range(20_000)]
    raw = only(pa.array(texts))
    levels = tuple(dict.fromkeys(texts))
    assert raw.levels == levels
    assert [levels[code] for code in raw.values] == texts


def test_truth_values() -> None:
    raw = only(pa.array([True, None, False]))
    assert raw.form == "bool" and raw.levels == ("false", "true")
    assert raw.values.tolist() == [1, -1, 0]


def test_dictionary_keeps_its_order_and_says_whether_it_means_something() -> None:
    codes = pa.array([1, 0, None], pa.int8())
    for ordered in (False, True):
        raw = only(pa.DictionaryArray.from_arrays(codes, ["lo", "hi", "top"], ordered=ordered))
        assert raw.levels == ("lo", "hi", "top") and raw.declared and raw.ordered is ordered
        assert raw.values.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("values", "form", "levels"),
    [
        ([30, 10], "int", ("30", "10")),
        ([1.5, 2.0], "float", ("1.5", "2")),
        ([True, False], "bool", ("true", "false")),
    ],
)
def test_dictionary_of_numbers(values: list[object], form: str, levels: tuple[str, ...]) -> None:
    indices = pa.array([1, None, 0], pa.int32())
    raw = only(pa.DictionaryArray.from_arrays(indices, pa.array(values)))
    assert (raw.form, raw.levels) == (form, levels)
    assert raw.values.tolist() == [1, -1, 0]


def test_dictionary_of_dates_is_a_column_of_dates() -> None:
    dates = pa.array([dt.date(1970, 1, 5), dt.date(1970, 1, 2)])
    raw = only(pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), dates))
    assert raw.form == "date" and raw.levels is None
    np.testing.assert_array_equal(raw.values, [1, NAN, 4])


def test_dictionaries_that_differ_from_batch_to_batch() -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    batches = [
        pa.record_batch({"c": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels)})
        for codes, levels in (([0, 1], ["a", "b"]), ([0, 1, None], ["c", "a"]))
    ]
    reader = pa.RecordBatchReader.from_batches(pa.schema([("c", kind)]), batches)
    (raw,) = from_stream(reader)
    assert raw.levels == ("a", "b", "c")
    assert raw.values.tolist() == [0, 1, 2, 0, -1]


def test_slices_and_chunks() -> None:
    whole = pa.table(
        {
            "n": [1, None, 3, 4],
            "s": ["a", "b", None, "a"],
            "b": [True, False, None, True],
            "d": pa.array(["u", None, "v", "u"]).dictionary_encode(),
        }
    )
    parts = pa.concat_tables([whole.slice(1, 3), whole.slice(0, 0), whole.slice(0, 2)])
    n, s, b, d = from_stream(parts)
    np.testing.assert_array_equal(n.values, [NAN, 3, 4, 1, NAN])
    assert s.levels == ("b", "a") and s.values.tolist() == [0, -1, 1, 1, 0]
    assert b.values.tolist() == [0, -1, 1, 1, 0]
    assert d.levels == ("u", "v") and d.values.tolist() == [-1, 1, 0, 0, -1]


def test_offset_and_nulls_of_the_struct_around_the_columns() -> None:
    struct = pa.StructArray.from_arrays([pa.array([1.0, 2.0, 3.0, 4.0])], ["c"])
    (raw,) = from_stream(pa.chunked_array([struct.slice(1, 2)]))
    assert raw.values.tolist() == [2.0, 3.0]
    struct = pa.StructArray.from_arrays(
        [pa.array([1.0, 2.0, 3.0])], ["c"], mask=pa.array([False, True, False])
    )
    (raw,) = from_stream(pa.chunked_array([struct]))
    np.testing.assert_array_equal(raw.values, [1, NAN, 3])


def test_no_batches_and_no_columns() -> None:
    schema = pa.schema([("n", pa.int64()), ("s", pa.string()), ("l", pa.list_(pa.int8()))])
    n, s, unsupported = from_stream(pa.RecordBatchReader.from_batches(schema, []))
    assert len(n.values) == 0 and s.levels == () and unsupported.unsupported == "list"
    assert from_stream(pa.table({})) == []


@pytest.mark.parametrize(
    ("array", "name"),
    [
        (pa.array([[1]]), "list"),
        (pa.array([{"a": 1}]), "struct"),
        (pa.array([b"x"]), "binary"),
        (pa.array([b"x"], pa.binary(1)), "fixed binary"),
        (pa.array([b"x"]).dictionary_encode(), "dictionary of binary"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "map"),
        (pa.array([decimal.Decimal(1)], pa.decimal256(50, 0)), "decimal of 256 bits"),
    ],
)
def test_types_that_cannot_be_read_are_named(array: pa.Array, name: str) -> None:
    assert only(array).unsupported == name


def test_one_chunk_of_floats_is_not_copied_and_outlives_its_table() -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "s": ["x", "y", "z"]})
    view = frame["a"].to_numpy()
    raw = from_stream(frame)[0]
    assert np.shares_memory(raw.values, view)
    assert not raw.values.flags.writeable
    del frame, view
    assert raw.values.tolist() == [1.0, 2.0, 3.0]


def test_a_single_column_of_polars() -> None:
    (raw,) = from_stream(pl.Series("p", ["b", None, "a"]))
    assert raw.name == "p" and raw.levels == ("b", "a")


def test_a_source_that_fails_half_way() -> None:
    def batches():
        yield pa.record_batch({"c": [1]})
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("c", pa.int64())]), batches())
    with pytest.raises(DataError, match="the disk is gone"):
        from_stream(reader)


def test_a_stream_is_read_once() -> None:
    class Twice:
        capsule = pa.table({"c": [1]}).__arrow_c_stream__()

        def __arrow_c_stream__(self) -> object:
            return self.capsule

    assert len(from_stream(Twice())) == 1
    with pytest.raises(DataError, match="already read"):
        from_stream(Twice())


# ---- data that is not Arrow ----------------------------------------------------------------------


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


FreeSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
FreeArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
FreeStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
LastError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", FreeSchema),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", FreeArray),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", LastError),
    ("release", FreeStream),
    ("private_data", ctypes.c_void_p),
]


class Forged:
    """A stream of one plain column, made by hand, that counts what is released."""

    def __init__(self, kind: bytes | None, buffers: list[object] | None, **fields: int) -> None:
        self.kind, self.buffers, self.fields = kind, buffers, fields
        self.released: list[str] = []
        self.given = False
        self.calls = (
            GetSchema(self._schema),
            GetNext(self._next),
            LastError(lambda _: b"no more"),
            FreeStream(self._free("stream")),
        )
        self.frees = FreeSchema(self._free("schema")), FreeArray(self._free("array"))
        self.stream = Stream(*self.calls, None)

    def _free(self, what: str):
        def free(pointer) -> None:
            self.released.append(what)
            pointer.contents.release = type(pointer.contents.release)()

        return free

    def _schema(self, _, out) -> int:
        out[0] = Schema(self.kind, b"c", None, 0, 0, None, None, self.frees[0], None)
        return 0

    def _next(self, _, out) -> int:
        if self.given:
            out[0] = Array()
            return 0
        self.given = True
        pointers = None
        if self.buffers is not None:
            cast = [None if b is None else ctypes.cast(b, ctypes.c_void_p) for b in self.buffers]
            self.pointers = (ctypes.c_void_p * max(1, len(cast)))(*cast)
            pointers = ctypes.cast(self.pointers, ctypes.POINTER(ctypes.c_void_p))
        about = {"length": 2, "null_count": 0, "offset": 0, "n_children": 0, **self.fields}
        about.setdefault("n_buffers", 0 if self.buffers is None else len(self.buffers))
        out[0] = Array(buffers=pointers, release=self.frees[1], **about)
        return 0

    def __arrow_c_stream__(self) -> object:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            [
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.c_void_p,
            ],
        )
        return new(ctypes.addressof(self.stream), b"arrow_array_stream", None)


DOUBLES = (ctypes.c_double * 2)(1.5, 2.5)
OFFSETS = (ctypes.c_int32 * 3)(0, 1, 2)
BACKWARDS = (ctypes.c_int32 * 3)(5, 1, -2)
TEXT = ctypes.create_string_buffer(b"ab")
VIEW = (ctypes.c_int32 * 8)(20, 0, 7, 0, -1, 0, 0, 0)
NO_SIZES = (ctypes.c_int64 * 1)(0)


def test_a_forged_stream_that_is_right() -> None:
    forged = Forged(b"g", [None, DOUBLES])
    (raw,) = from_stream(forged)
    assert raw.values.tolist() == [1.5, 2.5]
    del raw
    assert sorted(forged.released) == ["array", "schema", "stream"]
    (raw,) = from_stream(Forged(b"u", [None, OFFSETS, TEXT]))
    assert raw.levels == ("a", "b")


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        (lambda: Forged(b"g", [None, DOUBLES], length=-1), "negative length"),
        (lambda: Forged(b"g", [None, DOUBLES], offset=-1), "negative length or offset"),
        (lambda: Forged(b"g", [None, DOUBLES], offset=2**62), "out of range"),
        (lambda: Forged(b"g", [None, DOUBLES], length=2**40), "more than 2147483647 rows"),
        (lambda: Forged(b"g", [None, DOUBLES], n_buffers=-3), "negative count"),
        (lambda: Forged(b"g", None), "too few buffers"),
        (lambda: Forged(b"g", None, n_buffers=2), "buffers are missing"),
        (lambda: Forged(b"g", [None, None]), "buffer is missing"),
        (lambda: Forged(b"g", [None, DOUBLES], null_count=1), "does not say which"),
        (lambda: Forged(b"g", [None, DOUBLES], n_children=3), "children are missing"),
        (lambda: Forged(b"u", [None, BACKWARDS, TEXT]), "negative length"),
        (lambda: Forged(b"u", [None, OFFSETS, None]), "buffer is missing"),
        (lambda: Forged(b"vu", [None, VIEW, TEXT, NO_SIZES]), "outside its buffers"),
        (lambda: Forged(b"vu", [None, VIEW]), "outside its buffers"),
        (lambda: Forged(b"+s", [None], n_children=1), "children are missing"),
        (lambda: Forged(None, [None, DOUBLES]), "without a type"),
        (lambda: Forged(b"tsX", [None, DOUBLES]), "unknown unit of time"),
        (lambda: Forged(b"t", [None, DOUBLES]), "incomplete type"),
        (lambda: Forged(b"d:", [None, DOUBLES]), "decimal type"),
    ],
)
def test_nonsense_is_refused_and_everything_released(forged, message: str) -> None:
    stream = forged()
    with pytest.raises(DataError, match=message):
        from_stream(stream)
    wanted = {"schema", "stream"} | ({"array"} if stream.given else set())
    assert set(stream.released) == wanted and len(stream.released) == len(wanted)


def test_pyarrow_is_not_needed() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas as pd, polars as pl\n"
        "from bough.data.read import read_table\n"
        "f = pd.DataFrame({'s': ['u', None], 'd': pd.to_datetime(['2020-01-01', None]),"
        " 'c': pd.Categorical(['b', 'a']), 'y': ['p', 'q']})\n"
        "t = read_table(f, target='y')\n"
        "print([c.tolist() for c in t.cells], len(read_table(pl.DataFrame("
        "{'a': [1, 2], 'y': ['p', 'q']}), target='y').cells))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[[0, -1], [1577836800.0, nan], [1, 0]] 1\n", run.stderr
