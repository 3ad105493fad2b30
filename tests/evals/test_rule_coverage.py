from evals.rule_coverage import never_called

SOURCE = '''\
def ran():
    """Says something."""
    return 1

def never():
    """Says something."""
    if 1:
        return 2

def in_part(x):
    if x:
        return 3
    return 4
'''


def test_only_functions_of_which_no_statement_ran_are_listed() -> None:
    assert list(never_called(SOURCE, {7, 8, 13})) == [("never", 4)]
    assert list(never_called(SOURCE, {3, 7, 8, 11, 12, 13})) == [("ran", 3), ("never", 4), ("in_part", 4)]
