"""Traces: lifetimes of messages, causes, releases. The trace is written by hand; conservation holds for a real one."""
import pandas as pd
import pytest

TRACE = """sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail
0,0,start,,,,,,,0,
1,1,tick,1,,,tick:1:0,,,0,
2,1,send,1,0,message:1:0,tick:1:0,64,,0,
3,1.5,deliver,0,1,message:1:0,message:1:0,64,0.5,0,
4,1.5,send,0,1,message:0:0,message:1:0,144,,0,
5,2,tick,1,,,tick:1:1,,,0,
6,2,send,1,0,message:1:1,tick:1:1,64,,0,
7,2,lose,0,1,message:1:1,message:1:1,64,,0,loss
8,2.25,deliver,1,0,message:0:0,message:0:0,144,0.75,0,
9,2.25,release,1,,,message:0:0,,,0,release=1 epsilon=0.5 spent=0.5 delta=0
10,2.25,send,1,0,message:1:2,message:0:0,144,,0,
"""


# A query, whose training is a timer and a computation; the answer leaves at its end and comes too late.
TRAINING = """sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin
0,0,start,,,,,,,0,,
1,0,send,0,1,message:0:0,,144,,0,,
2,1,deliver,1,0,message:0:0,message:0:0,144,1,0,,
3,1,timer,1,,,timer:1:0,,,0,train,message:0:0
4,1,compute,1,,,timer:1:0,,,0,,
5,3,send,1,0,message:1:0,timer:1:1,144,,0,,timer:1:0
6,3,computed,1,,,timer:1:2,,,0,,timer:1:0
7,4,deliver,0,1,message:1:0,message:1:0,144,1,0,,
8,4,lose,0,1,message:1:0,message:1:0,144,1,0,stale,
"""


@pytest.fixture
def trace(hearsay, tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return hearsay.Trace(path)


def test_lifetimes_of_messages(trace):
    table = trace.messages().set_index("message")
    assert list(table["outcome"]) == ["delivered", "delivered", "lost", "under way"]
    assert table.loc["message:1:0", "latency_s"] == 0.5
    assert table.loc["message:0:0", "arrived_s"] == 2.25
    assert table.loc["message:1:1", "reason"] == "loss"
    assert pd.isna(table.loc["message:1:2", "arrived_s"])
    assert list(table["source"]) == [1, 0, 1, 1]


def test_times_are_those_of_the_file_to_the_last_bit(hearsay, tmp_path):
    times = [0.1 + 0.2, 1 / 3, 7.000000000000001, 12345.678901234567, 2.2250738585072014e-308]
    rows = [f"{k},{time!r},tick,1,,,tick:1:{k},,,0,\n" for k, time in enumerate(times)]
    (tmp_path / "trace.csv").write_text(TRACE.split("\n")[0] + "\n" + "".join(rows))
    assert list(hearsay.Trace(tmp_path / "trace.csv").events["time_s"]) == times


def test_the_chain_of_causes(trace):
    # The last message: tick 1, its query, the reply, the arrival of which sent it.
    assert list(trace.causes(10)["sequence"]) == [1, 2, 3, 4, 8, 10]
    assert list(trace.causes(7)["sequence"]) == [5, 6, 7]
    with pytest.raises(KeyError, match="no event 99"):
        trace.causes(99)


def test_the_chain_of_causes_passes_timers_and_computations(hearsay, tmp_path):
    (tmp_path / "trace.csv").write_text(TRAINING)
    trace = hearsay.Trace(tmp_path / "trace.csv")
    assert list(trace.causes(7)["sequence"]) == [1, 2, 3, 5, 7]
    assert list(trace.causes(6)["sequence"]) == [1, 2, 3, 6]
    assert list(trace.messages()["outcome"]) == ["delivered", "lost"]
    assert list(trace.messages()["reason"]) == ["", "stale"]


def test_releases(trace):
    table = trace.releases()
    assert table.loc[0, ["release", "epsilon", "spent"]].tolist() == [1, 0.5, 0.5]


@pytest.mark.parametrize("topologies, links", [(["ring", "complete"], 15), (["complete", "ring"], 6)])
def test_the_graph_is_that_of_the_traced_point(hearsay, tmp_path, topologies, links):
    study = hearsay.run({
        "data": {"type": "lending_like", "owners": 6, "records": 10, "features": 2},
        "network": {"latency": "1 ms"}, "protocol": {"type": "gossip_learning"}, "privacy": {"mechanism": "none"},
        "stop": {"time": "20 s"}, "record": {"every": {"time": "20 s"}, "metrics": ["objective"],
                                             "trace": {"format": ["csv"], "point": 1}},
        "sweep": {"network.topology": topologies}}, output=tmp_path / "study")
    trace = study.trace()
    graph = trace.graph()
    assert graph.number_of_edges() == links
    on_links = graph.edges(data="messages", default=0)
    assert sum(count for _, _, count in on_links) == len(trace.messages()) > 0


def test_messages_of_a_run_are_conserved(small):
    trace = small.trace()
    first = small.runs.iloc[0]
    outcomes = trace.messages()["outcome"].value_counts()
    assert outcomes.sum() == first["messages"]
    assert outcomes["delivered"] == first["delivered"]
    assert outcomes["lost"] == first["lost_loss"] + first["lost_receiver_down"] + first["lost_stale"]
    on_links = trace.graph().edges(data="messages", default=0)
    assert sum(count for _, _, count in on_links) == first["messages"]
