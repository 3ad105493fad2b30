from masis.orchestrator.agent import Turn
from masis.reasoning.llm.engine import LLMWriter
from masis.reasoning.llm.prompts import prompt_hash
from tests.support.engines import ScriptedWriter, Stage, asked


def test_a_turn_names_the_words_of_each_call_it_made() -> None:
    turn = Turn("synthesizer", asked(), Stage().services)
    turn.calls_engine(LLMWriter, "summary_prompt")
    turn.calls_engine(LLMWriter)
    entry = turn.trace()
    assert entry["summary_prompt"]["hash"] == prompt_hash("compressor")
    assert entry["prompt"]["hash"] == prompt_hash("writer")
    assert turn.metrics()["prompts"]["hash"] == prompt_hash()


def test_an_engine_that_asks_no_model_has_no_prompt() -> None:
    turn = Turn("synthesizer", asked(), Stage().services)
    turn.calls_engine(ScriptedWriter())
    assert "prompt" not in turn.trace()
    assert "prompts" not in turn.metrics()
    assert turn.metrics()["model_calls"] == 1
