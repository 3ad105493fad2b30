"""Guesses the encoding of a text without a byte order mark: tries each, and takes the one with the likeliest
letters."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

_SAMPLE_BYTES = 4000
_LEAST_SCORE = 0.35


@dataclass(frozen=True, slots=True)
class _Script:
    """A script whose words consist of its own letters only."""

    encodings: str
    letters: str
    frequent: str


# If two readings score the same, the first wins, so the more common encodings come first.
_LATIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "cp1252 iso8859-15",
        (
            "äöüß",
            "éèêëàâçîïôûùœæÿ",
            "áéíóúñü",
            "áâãàçéêíóôõú",
            "àèéìòù",
            "åäöé",
            "åæøé",
            "éëïöáóü",
            "àçèéíïòóúü",
            "áðéíóúýþæö",
        ),
    ),
    (
        "cp1250 iso8859-2",
        ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áéíóöőúüű", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž", "ëç"),
    ),
    ("cp1254 iso8859-9", ("çğıöşüâîİ",)),
    ("cp1257 iso8859-13", ("āčēģīķļņšūž", "ąčęėįšųūž", "äõöüšž")),
)
_SCRIPTS = (
    _Script("cp1251 koi8-r iso8859-5 cp866 koi8-u", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўј", "оеаинтсрвлкмдп"),
    _Script("cp1253 iso8859-7", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "αοιετσνηυρπκμλς"),
    _Script("cp1255 iso8859-8", "אבגדהוזחטיכךלמםנןסעפףצץקרשת", "יוהלאתרמבשנםדח"),
    _Script("cp1256 iso8859-6", "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةى", "االيمونرتبةعدسف"),
    _Script("cp874", "กขคงจชซญณดตถทธนบปผพฟภมยรลวศษสหอฮะาิีึืุูเแโใไ็่้์ัำ", "านรกอเงมยลวดทส่้"),
)
_SIGNS = frozenset("“”„‘’‚–—…•·«»‹›€£¥§©®™°±×÷½¼¾²³¿¡ªº\u00a0№´¨†‡‰")
_PUNCTUATION = frozenset("、。，．・：；？！「」『』（）【】《》“”‘’…—～％＋－／＝　￥")

# The most frequent characters of modern Chinese; wrongly decoded text consists of rare ones.
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么"
    "去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又"
    "关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海"
    "通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管"
    "期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北"
    "边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运收入姓名龄城市京海李华"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里用道行所然家種事成方多經麼"
    "去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又"
    "關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海"
    "通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管"
    "期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北"
    "邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運收入姓名齡城市臺灣華"
)
_KANJI = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力"
    "学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統"
    "以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委"
    "告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革"
    "価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送"
    "援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽"
    "起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賞訴辺造英被株頭技低"
    "毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注"
    "呼渉達週曜名前齢住所佐藤鈴木高橋田中渡辺伊太郎花英子髙阪古屋淳三"
)


# First bytes of the characters in daily use, with which the tables begin.
_IDEOGRAPHS = (
    ("cp932", _KANJI, range(0x88, 0x99)),
    ("euc_jp", _KANJI, range(0xB0, 0xD0)),
    ("gb18030", _SIMPLIFIED, range(0xB0, 0xD8)),
    ("big5", _TRADITIONAL, range(0xA4, 0xC7)),
)


def guess_encoding(data: bytes) -> str | None:
    """None if the bytes are not text in any encoding known here."""
    sample = _sample(data)
    found = [
        (score, -rank, encoding) for rank, (encoding, score) in enumerate(_candidates(sample)) if score > _LEAST_SCORE
    ]
    return max(found)[2] if found else None


def unmarked_unicode(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: blanks and digits have zeros in fixed places; no other text has zeros."""
    sample = data[:4096]
    zeros = [sample[place::4].count(0) for place in range(4)]
    quarter = len(sample) // 4
    if len(data) % 4 == 0 and quarter and zeros[3] == quarter and zeros[2] >= quarter * 0.9 and not zeros[0]:
        return "utf-32-le"
    if len(data) % 4 == 0 and quarter and zeros[0] == quarter and zeros[1] >= quarter * 0.9 and not zeros[3]:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if odd > len(sample) * 0.02 and not even:
        return "utf-16-le"
    return "utf-16-be" if even > len(sample) * 0.02 and not odd else None


def _sample(data: bytes) -> bytes:
    """Lines with letters beyond ASCII; the others tell nothing."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE_BYTES]
    # Cut at a space or a line end, so that no character is cut in two.
    return sample[: max(sample.rfind(b"\n"), sample.rfind(b" "), sample.rfind(b","), 1)]


def _candidates(data: bytes) -> Iterable[tuple[str, float]]:
    for encodings, alphabets in _LATIN:
        for encoding in encodings.split():
            yield encoding, _score_latin(_decoded(data, encoding), alphabets)
    for script in _SCRIPTS:
        for encoding in script.encodings.split():
            yield encoding, _score_script(_decoded(data, encoding), script)
    for encoding, frequent, usual in _IDEOGRAPHS:
        yield encoding, _score_ideographs(_decoded(data, encoding), frequent, _usual(encoding, usual))
    yield "euc_kr", _score_hangul(_decoded(data, "euc_kr"))
    yield "cp949", _score_hangul(_decoded(data, "cp949")) * 0.75


def _decoded(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if any("\x80" <= character < "\xa0" for character in text) else text


def _beyond_ascii(text: str) -> list[str]:
    return [character for character in text if character > "\x7f"]


def _neighbours(text: str) -> Iterable[tuple[str, str, str]]:
    """Each character beyond ASCII with the one before and the one after."""
    for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if character > "\x7f":
            yield before, character, after


def _is_ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _score_latin(text: str, alphabets: tuple[str, ...]) -> float:
    """The share of letters that belong to one language. They occur in words of ASCII letters: “Müller”."""
    special = _beyond_ascii(text)
    if not special:
        return 0.0
    odd = sum(_is_odd_in_latin(*each) for each in _neighbours(text))
    signs = sum(character in _SIGNS for character in special)
    known = max(sum(character.lower() in letters for character in special) for letters in alphabets)
    return 0.9 * (known + signs - odd) / len(special)


def _is_odd_in_latin(before: str, character: str, after: str) -> bool:
    """A sign inside a word, a capital after a small letter, or neighbouring letters that are all beyond ASCII."""
    if character in _SIGNS:
        return before.isalpha() and after.isalpha() and character not in "’·"
    if character.isupper() and before.islower():
        return True
    return not _is_ascii_letter(before) and not _is_ascii_letter(after) and (before > "\x7f" or after > "\x7f")


def _score_script(text: str, script: _Script) -> float:
    """Rates words that consist only of the script's letters, most of them small and frequent."""
    special = _beyond_ascii(text)
    known = [character for character in special if character.lower() in script.letters]
    if not known:
        return 0.0
    signs = sum(character in _SIGNS for character in special)
    frequent = sum(character in script.frequent for character in known) / len(known)
    odd = sum(_is_odd_in_script(*each) for each in _neighbours(text))
    if odd > len(known) / 2:
        return 0.0
    return (len(known) + signs - odd) / len(special) * (0.4 + 0.8 * frequent)


def _is_odd_in_script(before: str, character: str, after: str) -> bool:
    if character in _SIGNS:
        return False
    return _is_ascii_letter(before) or _is_ascii_letter(after) or (character.isupper() and before.islower())


@cache
def _usual(encoding: str, leads: range) -> frozenset[str]:
    pairs = (bytes([lead, trail]) for lead in leads for trail in range(0x40, 0xFF))
    return frozenset(pair.decode(encoding, "ignore")[:1] for pair in pairs) - {""}


def _score_ideographs(text: str, frequent: frozenset[str], usual: frozenset[str]) -> float:
    special = _beyond_ascii(text)
    if not special:
        return 0.0
    kana = sum("\u3041" <= character <= "\u30fe" for character in special)
    frequent_ones = sum(character in frequent or character in _PUNCTUATION for character in special)
    common = frequent_ones + sum(character in usual and character not in frequent for character in special) / 2
    japanese = kana if frequent is _KANJI else -kana
    odd = sum(_is_odd_in_asian(*each) for each in _neighbours(text))
    return (japanese + common - odd) / len(special)


def _is_odd_in_asian(before: str, character: str, after: str) -> bool:
    """Half-width kana and private characters are what other texts look like when read as Japanese or Chinese."""
    is_rare = "\uff61" <= character <= "\uff9f" or "\ue000" <= character <= "\uf8ff"
    return is_rare or _is_ascii_letter(before) or _is_ascii_letter(after)


def _score_hangul(text: str) -> float:
    """Korean is almost only Hangul; Chinese read as Korean is half Chinese characters."""
    special = _beyond_ascii(text)
    known = sum("\uac00" <= character <= "\ud7a3" or character in _PUNCTUATION for character in special)
    odd = sum(_is_odd_in_asian(*each) for each in _neighbours(text))
    return max(0.0, (known - odd) / len(special) - 0.7) / 0.3 if special else 0.0
