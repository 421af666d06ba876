"""Outcomes: every form that is taken, every form that is refused."""

from __future__ import annotations

import datetime
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold, train_test_split
from sklearn.utils import _safe_indexing, check_consistent_length

from consurv.errors import InvalidInput
from consurv.outcome import Outcome

TIME, EVENT = [5.0, 2.0, 9.0], [True, False, True]
WANTED = Outcome(time=TIME, event=EVENT)


def structured(names=("event", "time"), types=("?", "f8"), rows=None):
    rows = rows or list(zip(EVENT, TIME, strict=True))
    return np.array(rows, dtype=list(zip(names, types, strict=True)))


class TestArrays:
    @pytest.mark.parametrize(
        "convert",
        [
            list,
            tuple,
            np.array,
            lambda v: np.array(v, dtype=np.float32),
            lambda v: np.array(v, dtype=">f8"),
            lambda v: np.array(v, dtype=int),
            lambda v: np.array(v, dtype=np.uint8),
            lambda v: np.array(v, dtype=object),
            lambda v: np.array(v)[:, None],
            lambda v: np.repeat(v, 2)[::2],
            lambda v: pd.Series(v, index=[2, 0, 1]),
            lambda v: pd.Series(np.array(v, dtype=int), dtype="Int64"),
            lambda v: pd.Series(v, dtype=object),
            pl.Series,
        ],
    )
    def test_come_in_many_types(self, convert):
        assert Outcome(convert(TIME), EVENT) == WANTED
        assert Outcome(TIME, convert(EVENT)) == WANTED

    def test_events_may_be_nullable_bools(self):
        assert Outcome(TIME, pd.Series(EVENT, dtype="boolean")) == WANTED

    def test_read_only_arrays_work_and_stay_their_owners(self):
        time, event = np.array(TIME), np.array(EVENT)
        time.setflags(write=False)
        y = Outcome(time, event)
        event[0] = False
        assert y == WANTED
        assert event.flags.writeable

    def test_become_float64_and_bool(self):
        y = Outcome(np.array([3, 4], dtype=">i2"), [1, 0])
        assert y.time.dtype == np.dtype(np.float64)
        assert y.time.dtype.isnative
        assert y.event.dtype == np.bool_

    def test_a_shuffled_index_is_read_by_position(self):
        time = pd.Series(TIME, index=["c", "a", "b"])
        event = pd.Series(EVENT, index=["a", "b", "c"])
        assert Outcome(time, event) == WANTED

    def test_none_at_all(self):
        y = Outcome([], [])
        assert (len(y), y.n_events, repr(y)) == (0, 0, "Outcome(n=0, events=0)")

    def test_all_times_one_are_times(self):
        assert Outcome([1, 1, 1], [1, 0, 1]).time.tolist() == [1, 1, 1]


class TestOf:
    def test_an_outcome_is_itself(self):
        assert Outcome.of(WANTED) is WANTED

    def test_a_structured_array_in_either_order(self):
        assert Outcome.of(structured()) == WANTED
        backwards = structured(
            ("time", "event"), ("f8", "?"), list(zip(TIME, EVENT, strict=True))
        )
        assert Outcome.of(backwards) == WANTED

    @pytest.mark.parametrize(
        "names", [("cens", "t"), ("Status", "Survival_in_days"), ("stop", "upper")]
    )
    def test_any_names_with_a_bool_first_as_scikit_survival_has_them(self, names):
        assert Outcome.of(structured(names)) == WANTED

    def test_a_number_as_event_under_its_own_name(self):
        assert Outcome.of(structured(types=("i8", "f4"))) == WANTED

    def test_a_record_array_and_a_big_endian_one(self):
        assert Outcome.of(structured().view(np.recarray)) == WANTED
        assert Outcome.of(structured(types=(">i4", ">f8"))) == WANTED

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    @pytest.mark.parametrize("names", [("event", "time"), ("EVENT", "Time")])
    def test_a_frame_in_any_order_and_case(self, frame, names):
        data = dict(zip(names, (EVENT, TIME), strict=True))
        assert Outcome.of(frame(data)) == WANTED
        assert Outcome.of(frame(dict(reversed(data.items())))) == WANTED

    def test_a_frame_with_a_shuffled_index_is_read_by_position(self):
        frame = pd.DataFrame({"time": TIME, "event": EVENT}, index=[2, 0, 1])
        assert Outcome.of(frame) == WANTED

    @pytest.mark.parametrize("convert", [list, np.array, pd.Series, pl.Series])
    def test_a_pair_is_event_and_time(self, convert):
        assert Outcome.of((convert(EVENT), convert(TIME))) == WANTED

    def test_its_own_structured_form(self):
        assert Outcome.of(WANTED.to_structured()) == WANTED
        assert WANTED.to_structured().dtype.names == ("event", "time")


class TestRefusedForms:
    @pytest.mark.parametrize(
        ("y", "words"),
        [
            (np.array(TIME), r"ndarray of shape \(3,\)"),
            (np.ones((3, 2)), r"ndarray of shape \(3, 2\)"),
            (TIME, "y is a list"),
            (pd.Series(TIME), r"Series of shape \(3,\)"),
            (None, "y is None"),
            ("time", "y is a str"),
        ],
    )
    def test_what_does_not_say_which_is_which(self, y, words):
        with pytest.raises(InvalidInput, match=words) as caught:
            Outcome.of(y)
        assert "the tuple (event, time)" in str(caught.value)

    def test_a_tuple_of_three(self):
        with pytest.raises(InvalidInput, match="tuple of 3; give the pair"):
            Outcome.of((TIME, TIME, EVENT))

    @pytest.mark.parametrize(
        ("names", "kind"),
        [
            (("start", "stop", "event"), "left truncation"),
            (("entry", "time", "event"), "left truncation"),
            (("tstart", "tstop", "event"), "left truncation"),
            (("Lower", "Upper"), "interval censoring"),
            (("left", "right", "event"), "interval censoring"),
            (("lower_bound", "upper_bound"), "interval censoring"),
            (("cause", "time"), "competing causes"),
            (("cause", "event", "time"), "competing causes"),
            (("event_type", "time"), "competing causes"),
        ],
    )
    @pytest.mark.parametrize("form", ["frame", "polars", "structured"])
    def test_other_kinds_of_data_by_name(self, names, kind, form):
        columns = {name: [1.0, 2.0] for name in names}
        if form == "structured":
            y = np.ones(2, dtype=[(name, "f8") for name in names])
        else:
            y = (pd if form == "frame" else pl).DataFrame(columns)
        with pytest.raises(InvalidInput, match=f"'{names[0]}' means {kind}"):
            Outcome.of(y)

    def test_more_fields_than_event_and_time(self):
        frame = pd.DataFrame({"time": TIME, "event": EVENT, "age": TIME})
        with pytest.raises(InvalidInput, match=r"besides event and time: \['age'\]"):
            Outcome.of(frame)

    @pytest.mark.parametrize("names", [("status", "days"), ("event", "days")])
    def test_a_frame_without_the_two_fields(self, names):
        frame = pd.DataFrame(dict(zip(names, (EVENT, TIME), strict=True)))
        with pytest.raises(
            InvalidInput,
            match=rf"Outcome\(time=y\[\"days\"\], event=y\[\"{names[0]}\"\]\)",
        ):
            Outcome.of(frame)

    @pytest.mark.parametrize(
        ("names", "words"),
        [
            (("week", "arrest"), r'time=y\["week"\], event=y\["arrest"\]\)$'),
            (("T", "E"), r'none of which is called event and none time; .*y\["E"\]'),
            (("duration", "event"), r'none of which is called time; .*y\["duration"\]'),
            (("days", "censored"), r'event=1 - y\["censored"\]\)$'),
        ],
    )
    @pytest.mark.parametrize("structured", [False, True])
    def test_other_names_lead_to_the_way_out(self, names, words, structured):
        flags = np.asarray(EVENT, dtype=int)
        frame = pd.DataFrame(dict(zip(names, (TIME, flags), strict=True)))
        y = frame.to_records(index=False) if structured else frame
        with pytest.raises(InvalidInput, match=words):
            Outcome.of(y)

    @pytest.mark.parametrize(
        ("names", "words"),
        [
            (["event", "time", "time"], "2 fields called time: 'time', 'time'; rename"),
            (["event", "time", "Time"], "2 fields called time: 'time', 'Time'"),
            (["Event", "event", "time"], "2 fields called event: 'Event', 'event'"),
            (["time", "TIME"], "2 fields called time: 'time', 'TIME'"),
        ],
    )
    def test_a_field_that_is_there_twice(self, names, words):
        frame = pd.DataFrame(np.ones((2, len(names))), columns=names)
        with pytest.raises(InvalidInput, match=words):
            Outcome.of(frame)

    @pytest.mark.parametrize(
        ("time", "words"),
        [
            (
                pd.date_range("2020", periods=3, tz="UTC"),
                "dates, not numbers, the first is 2020-01-01 .*; subtract the start",
            ),
            (pd.period_range("2020", periods=3, freq="M"), "periods, .*to_timestamp"),
            ([datetime.date(2020, 1, 1)] * 3, "holds dates.*subtract the start date"),
            ([datetime.timedelta(1)] * 3, "time differences.*divide by a unit"),
            (pd.interval_range(0, 3), "intervals.*interval censoring is not supported"),
            ([1, 2, "12 months"], "the first is '12 months' at row 2; correct such"),
            (pd.Series(["1", "2", "x"], dtype="string[pyarrow]"), "'x' at row 2"),
            (pd.Series(["1,5", "2", "3"]), "'1,5' at row 0; write decimal points"),
            (pd.Series(["1", "2", "3"]), "'1' at row 0; convert them"),
            ([5e-324, 1, 2], "1 values too small to compute with, the first at row 0"),
        ],
    )
    def test_times_that_are_none_are_named_with_the_way_out(self, time, words):
        with pytest.raises(InvalidInput, match=words):
            Outcome.of(pd.DataFrame({"time": time, "event": [1, 0, 1]}))

    def test_events_in_words(self):
        with pytest.raises(InvalidInput, match=r"event holds text.*\(== 'dead'\)"):
            Outcome([1, 2, 3], ["dead", "alive", "dead"])

    def test_a_masked_structured_array(self):
        with pytest.raises(InvalidInput, match="y is a masked array"):
            Outcome.of(np.ma.array(structured()))


class TestRefusedTimes:
    @pytest.mark.parametrize("bad", [0, 0.0, -3, -1e-300])
    def test_not_positive(self, bad):
        with pytest.raises(
            InvalidInput,
            match=r"1 values <= 0, the first at row 1.*add half a unit to all times",
        ):
            Outcome([5, bad, 9], EVENT)

    def test_nan(self):
        with pytest.raises(InvalidInput, match=r"time has 1 NaN values.*row 2"):
            Outcome([5, 2, np.nan], EVENT)

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinite(self, bad):
        with pytest.raises(InvalidInput, match=r"time has 1 infinite values.*row 0"):
            Outcome([bad, 2, 9], EVENT)

    def test_missing_in_polars_and_nullable_pandas(self):
        with pytest.raises(InvalidInput, match=r"time has 1 (NaN|missing)"):
            Outcome(pl.Series([5, None, 9]), EVENT)
        with pytest.raises(InvalidInput, match=r"time has 1 (NaN|missing)"):
            Outcome(pd.Series([5, None, 9], dtype="Int64"), EVENT)

    @pytest.mark.parametrize("time", [["5", "2", "9"], pd.Series(["5", "2", "9"])])
    def test_text(self, time):
        with pytest.raises(InvalidInput, match="time holds text, not numbers"):
            Outcome(time, EVENT)

    def test_dates(self):
        dates = pd.Series(pd.date_range("2020-01-01", periods=3))
        with pytest.raises(InvalidInput, match=r"time holds dates.*subtract the start"):
            Outcome(dates, EVENT)

    def test_time_differences(self):
        days = pd.Series(pd.to_timedelta(TIME, unit="D"))
        with pytest.raises(InvalidInput, match=r"time differences.*divide by a unit"):
            Outcome(days, EVENT)

    def test_complex(self):
        with pytest.raises(InvalidInput, match="time holds complex numbers"):
            Outcome([1j, 2, 3], EVENT)

    def test_masked(self):
        with pytest.raises(InvalidInput, match="time is a masked array"):
            Outcome(np.ma.array(TIME, mask=[0, 0, 1]), EVENT)

    @pytest.mark.parametrize("time", [3.0, [[1, 2], [3, 4]]])
    def test_shape(self, time):
        with pytest.raises(InvalidInput, match="time must be 1-dimensional"):
            Outcome(time, EVENT)

    def test_ragged(self):
        with pytest.raises(InvalidInput, match="time cannot be read as an array"):
            Outcome([5, [2, 3], 9], EVENT)

    def test_length(self):
        with pytest.raises(InvalidInput, match="time has 3, event has 2"):
            Outcome(TIME, [1, 0])


class TestRefusedEvents:
    @pytest.mark.parametrize(
        ("codes", "words"),
        [
            ([1, 2, 2], "values 1, 2; if 2 means .* pass event == 2"),
            ([-1, 1, 1], "values -1, 1; if 1 means .* pass event == 1"),
            ([0, 1, 2], "0, 1, 2; competing causes are not supported"),
            ([0, 2, 2], "0, 2; competing causes"),
            ([0.5, 1, 0], "0, 0.5, 1; are time and event swapped"),
            ([7.5, 3.2, 1], "swapped"),
        ],
    )
    def test_codes(self, codes, words):
        with pytest.raises(InvalidInput, match=words):
            Outcome(TIME, codes)

    def test_many_codes_are_cut_short(self):
        with pytest.raises(InvalidInput, match=r"1, 2, 3, 4, 5, 6, \.\.\.; are time"):
            Outcome(np.arange(1, 13) + 0.5, np.arange(1, 13))

    @pytest.mark.parametrize("time", [[1, 0, 1], [True, False, True], [1.0, 1.0, 1.0]])
    def test_swapped_with_time(self, time):
        with pytest.raises(InvalidInput, match="time and event look swapped"):
            Outcome(time=time, event=TIME)
        with pytest.raises(InvalidInput, match="time and event look swapped"):
            Outcome.of((TIME, time))

    def test_nan(self):
        with pytest.raises(InvalidInput, match="event has 1 NaN values"):
            Outcome(TIME, [1, np.nan, 0])

    @pytest.mark.parametrize("missing", [None, pd.NA])
    def test_missing(self, missing):
        with pytest.raises(InvalidInput, match="event h"):
            Outcome(TIME, pd.Series([True, missing, False], dtype="boolean"))

    def test_text(self):
        with pytest.raises(InvalidInput, match="event holds text"):
            Outcome(TIME, ["yes", "no", "yes"])

    def test_masked(self):
        with pytest.raises(InvalidInput, match="event is a masked array"):
            Outcome(TIME, np.ma.array(EVENT, mask=[0, 0, 1]))

    def test_shape(self):
        with pytest.raises(InvalidInput, match="event must be 1-dimensional"):
            Outcome(TIME, [[True, False, True], [True, False, True]])


class TestValue:
    def test_counts_and_repr(self):
        assert (len(WANTED), WANTED.n_events, WANTED.shape) == (3, 2, (3,))
        assert repr(WANTED) == "Outcome(n=3, events=2, last time=9)"

    def test_equality(self):
        assert Outcome(TIME, EVENT) == WANTED
        assert Outcome(TIME, [1, 1, 1]) != WANTED
        assert Outcome([5, 2, 8], EVENT) != WANTED
        assert WANTED[:2] != WANTED
        assert WANTED != "an outcome"

    def test_has_no_hash(self):
        with pytest.raises(TypeError, match="unhashable"):
            hash(WANTED)

    def test_iterates_over_event_and_time(self):
        assert list(WANTED) == [(True, 5.0), (False, 2.0), (True, 9.0)]

    @pytest.mark.parametrize("name", ["time", "event", "weight"])
    def test_attributes_cannot_be_set(self, name):
        with pytest.raises(AttributeError, match=f"immutable.*{name}"):
            setattr(WANTED, name, [1])

    @pytest.mark.parametrize("y", [WANTED, WANTED[:2], WANTED[[0, 1]], WANTED[1]])
    def test_arrays_cannot_be_written_to(self, y):
        for array in (y.time, y.event):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    @pytest.mark.parametrize("copy", [pickle.dumps, joblib.hash])
    def test_can_be_stored(self, copy):
        stored = copy(WANTED)
        if isinstance(stored, bytes):
            assert pickle.loads(stored) == WANTED
        else:
            assert stored == copy(Outcome(TIME, EVENT))

    def test_a_pickle_is_immutable_again(self):
        with pytest.raises(ValueError, match="read-only"):
            pickle.loads(pickle.dumps(WANTED)).time[0] = 1


class TestSlicing:
    @pytest.mark.parametrize(
        ("rows", "positions"),
        [
            (slice(1, None), [1, 2]),
            (slice(None, None, -1), [2, 1, 0]),
            ([2, 0], [2, 0]),
            (np.array([True, False, True]), [0, 2]),
            ([True, False, True], [0, 2]),
            (1, [1]),
            (-1, [2]),
            (np.int64(1), [1]),
            ([], []),
            (([2, 0],), [2, 0]),
            (([2, 0], ...), [2, 0]),
        ],
    )
    def test_gives_outcomes(self, rows, positions):
        part = WANTED[rows]
        assert isinstance(part, Outcome)
        assert_array_equal(part.time, np.array(TIME)[positions])
        assert_array_equal(part.event, np.array(EVENT)[positions])

    def test_outside_is_an_index_error(self):
        with pytest.raises(IndexError):
            WANTED[3]

    def test_scikit_learn_indexes_it(self):
        assert _safe_indexing(WANTED, np.array([2, 0])) == WANTED[[2, 0]]
        check_consistent_length(np.zeros((3, 1)), WANTED)

    def test_scikit_learn_splits_it(self):
        y = Outcome(np.arange(1, 11), np.arange(10) % 2)
        X = np.arange(1, 11)[:, None]
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
        assert_array_equal(X_train[:, 0], y_train.time)
        assert_array_equal(X_test[:, 0], y_test.time)
        for train, test in KFold(5).split(X, y):
            assert len(y[train]) + len(y[test]) == 10

    def test_concatenation_is_the_way_back(self):
        assert Outcome.concatenate([WANTED[:1], WANTED[1:]]) == WANTED
        with pytest.raises(ValueError, match="read-only"):
            Outcome.concatenate([WANTED, WANTED]).time[0] = 1


def test_a_table_of_pyarrow_is_read():
    pyarrow = pytest.importorskip("pyarrow")
    y = Outcome.of(pyarrow.table({"event": [1, 0], "time": [2.0, 3.0]}))
    assert y == Outcome(time=[2, 3], event=[1, 0])
