import random

import pytest

from masis.errors import UnreadableFile
from masis.sources.data.data_files import parse_delimited
from masis.sources.encodings import guess_encoding
from masis.sources.plain import decode
from tests.sources.files import bare

TEXTS = {
    "cp1252 iso8859-15": (
        "Das Geschäftsjahr war für Müller & Söhne größer als “erwartet”. ¿Qué pasó, señor? Élève, Noël, ça."
    ),
    "cp1250 iso8859-2": "Przychody spółki wzrosły dzięki niższym kosztom. Zażółć gęślą jaźń.",
    "cp1254": "Şirketin geliri geçen yıl arttı, yönetim büyüme bekliyor.",
    "cp1257": "Bendrovės pajamos išaugo, valdyba tikisi, kad įmonė augs šių metų.",
    "cp1251 koi8-r iso8859-5 cp866": "Выручка компании в прошлом году выросла на пять процентов.",
    "cp1253 iso8859-7": "Τα έσοδα της εταιρείας αυξήθηκαν πέρυσι κατά πέντε τοις εκατό.",
    "cp1255": "הכנסות החברה עלו בשנה שעברה בחמישה אחוזים.",
    "cp1256": "ارتفعت إيرادات الشركة في العام الماضي بنسبة خمسة في المئة.",
    "cp932 euc_jp iso2022_jp": "当社の昨年度の売上高は増加しました。来年も成長が続く見込みです。",
    "gb18030": "公司去年的收入增长了百分之五。董事会预计明年将继续增长。",
    "big5": "公司去年的收入增長了百分之五。董事會預計明年將繼續增長。",
    "euc_kr cp949": "회사의 지난해 매출은 증가했습니다. 내년에도 성장이 계속됩니다.",
    "utf-8 utf-16-le utf-16-be utf-32-le utf-32-be": "Выручка 2025 года 東京 5 €",
}
CASES = [(encoding, text) for encodings, text in TEXTS.items() for encoding in encodings.split()]


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_common_encodings_without_a_mark(encoding: str, text: str) -> None:
    # Spanish and German share no letter with everything an encoding can write.
    data = text.encode(encoding, "ignore")
    assert decode(data, "a.txt") == data.decode(encoding)


@pytest.mark.parametrize(("encoding", "text"), CASES)
def test_a_long_file_is_told_by_its_lines_that_are_not_english(encoding: str, text: str) -> None:
    lines = ["Only plain words stand in this line.", *[text] * 5] * 200
    data = "\n".join(lines).encode(encoding, "ignore")
    assert decode(data, "a.txt") == data.decode(encoding)


def test_a_tiny_table_in_japanese() -> None:
    data = "名前,年齢,住所\r\n佐藤太郎,30,東京\r\n三木英子,25,大阪\r\n".encode("cp932")
    assert bare(parse_delimited(data, "a.csv").text) == "名前 | 年齢 | 住所\n佐藤太郎 | 30 | 東京\n三木英子 | 25 | 大阪"


@pytest.mark.parametrize("text", ["Müller", "naïve – “quoted”", "it’s 5 €", "20 °C ± ½", "Bülow, Françoise"])
def test_few_letters_are_western(text: str) -> None:
    assert guess_encoding(text.encode("cp1252")) == "cp1252"


def test_a_damaged_character_does_not_change_the_encoding() -> None:
    data = ("Größe " * 50).encode()
    assert decode(data[:88] + b"\xff" + data[88:], "a.txt").count("Größe") == 50
    assert decode(data[:-3] + "ß".encode()[:1], "a.txt").startswith("Größe")


def test_random_bytes_are_refused() -> None:
    for seed in range(50):
        with pytest.raises(UnreadableFile, match="binary data"):
            decode(random.Random(seed).randbytes(500), "a.txt")
