"""Patterns for saying that the evidence lacks something: English in `english_limits`, all other languages here.

Every pattern reads text from `hedges.plain_words`: lower case, plain quotes and dashes, no English contractions. The
subject must be the evidence, the writer or nobody: “the company does not disclose” is a claim about the company.
"""

import re
from functools import cache

from masis.audit.citations import english_limits as english
from masis.language.characters import GAP, SHORT_GAP

GERMAN_EVIDENCE = (
    r"(?:dokument\w*|unterlagen?|quellen?|belegen?|belege|auszüge?n?|textstellen?|passagen?|text(?:en?"
    r"|s)?|kontext(?:es)?|bericht(?:en?|e?s)?|evidenz|material(?:ien)?|dateien?|vorliegenden "
    r"(?:informationen|daten|angaben)|bereitgestellten (?:informationen|daten))"
)
_GERMAN_INFO = r"(?:informationen?|angaben?|daten|hinweise?|belege?|aussagen?|zahlen|details?|erwähnung|antwort)"
_GERMAN_SAID = (
    r"(?:angegeben|genannt|erwähnt|erläutert|beschrieben|behandelt|spezifiziert|offengelegt|aufgeführt"
    r"|beziffert|enthalten|thematisiert|erklärt|ersichtlich|dokumentiert|abgedeckt|ausgewiesen"
    r"|beantwortet|belegt|zu entnehmen|zu finden)"
)
GERMAN_LIMITS = (
    rf"\b{GERMAN_EVIDENCE}\b{GAP}\b(?:kein\w*|nicht\w*|weder)\b{GAP}(?:{_GERMAN_INFO}|{_GERMAN_SAID}|hervor|nennen|erwähnen"
    r"|angeben|sagen|an\b|auf\b|ein\b|aus\b|dazu|darüber|ob\b|wie\b|warum\b|welche)",
    rf"\b{GERMAN_EVIDENCE}\b (?:\w+ )?(?:nennt|nennen|erwähnt|erwähnen|enthält|enthalten|sagt|sagen|geben|gibt"
    r"|machen"
    r"|macht|liefern|liefert|behandeln|behandelt|erläutern|erläutert|beziffern|beziffert|belegen|belegt"
    rf"|decken|deckt|beschreiben|beschreibt|beantworten|beantwortet|spezifizieren|spezifiziert)\b{GAP}\b"
    r"(?:kein\w*|nicht\w*)\b",
    rf"\b(?:aus|in|anhand) (?:den|der|dem|diesen|dieser) (?:\w+ ){{0,2}}{GERMAN_EVIDENCE}\b{GAP}\b(?:kein\w*"
    r"|nicht\w*)\b",
    rf"\b(?:finden sich|findet sich|gibt es|es gibt|es finden sich) (?:\w+ ){{0,4}}?kein\w* "
    rf"(?:\w+ )?{_GERMAN_INFO}",
    rf"\b{_GERMAN_INFO}\b{GAP}\bfehl(?:en|t)\b",
    rf"\bkeine? (?:\w+ ){{0,2}}{_GERMAN_INFO}\b{GAP}\b(?:{GERMAN_EVIDENCE}|gefunden|verfügbar|vorhanden|enthalten|vor"
    r"|entnehmen|angegeben|gemacht|verfügung)\b",
    rf"^\W*(?:es (?:gibt|liegen|finden sich)|keine) (?:\w+ ){{0,2}}(?:keine? )?(?:\w+ )?{_GERMAN_INFO} (?:zu"
    r"|zur|zum|über|für|vor|darüber|dazu)\b",
    rf"\b(?:wird|werden|ist|sind|wurde|wurden) (?:\w+ ){{0,6}}nicht (?:\w+ )?{_GERMAN_SAID}\b(?! (?:von|durch))",
    r"\b(?:lässt|lassen) sich (?:\w+ ){0,10}nicht (?:\w+ )?(?:bestimmen|ermitteln|ableiten|beantworten"
    r"|feststellen|sagen|entnehmen|beurteilen|berechnen|belegen|prüfen)",
    r"\b(?:kann|können|konnten?) (?:\w+ ){0,10}(?:nichts?|keine?) (?:\w+ ){0,4}?(?:bestimmt"
    r"|ermittelt|beantwortet|gefunden|abgeleitet|festgestellt|entnommen|gefunden werden|finden|ermitteln"
    r"|beantworten)\b",
    r"\b(?:bleibt|ist|sind) (?:\w+ )?(?:unklar|offen|unbekannt|unzureichend)\b",
    rf"\b{GERMAN_EVIDENCE}\b (?:reichen|reicht|genügen|genügt|schweigen|schweigt)\b",
)

FRENCH_EVIDENCE = (
    r"(?:documents?|sources?|extraits?|passages?|textes?|contexte|rapports?|éléments|preuves?|pièces"
    r"|fichiers?|(?:informations|données) (?:fournies|disponibles))"
)
_FRENCH_SAY = (
    r"(?:mentionn|précis|indiqu|fourniss|contien|dis|dit|donn|couvr|abord|trait|révèl|explique|détaill"
    r"|évoqu|permett|permet\b|fait|font|spécifi|chiffr|compren|inclu|répond|contenai|compor|fourni|cite"
    r"|port|renseign)\w*"
)
_FRENCH_SAID = (
    r"(?:précisée?s?|indiquée?s?|mentionnée?s?|fournie?s?|spécifiée?s?|abordée?s?|détaillée?s?"
    r"|divulguée?s?|communiquée?s?|donnée?s?|expliquée?s?|évoquée?s?|disponibles?|trouvée?s?|claire?s?"
    r"|possible|chiffrée?s?)"
)
FRENCH_LIMITS = (
    rf"\b{FRENCH_EVIDENCE}\b{GAP}\bn(?:e |')(?:\w+ )?{_FRENCH_SAY} (?:\w+ )?(?:pas|aucun\w*|rien|ni|point)\b",
    rf"\b{FRENCH_EVIDENCE}\b{GAP}\b(?:sont|est|restent|reste) (?:muets?|muettes?|silencieux|insuffisants?"
    r"|insuffisantes?)\b",
    r"\baucune? (?:\w+ )?(?:information|donnée|mention|précision|indication|source|document|élément"
    rf"|chiffre|détail|réponse|passage|extrait)s?\b{GAP}\bn(?:e |')",
    r"^\W*aucune? (?:information|donnée|mention|précision|indication)s? (?:sur|concernant|relative|à"
    r"|quant)\b",
    r"\b(?:il )?n'(?:est|sont|était|a pas été|ont pas été)(?: pas| aucunement)? (?:\w+ment )?"
    r"(?:précisée?s?|indiquée?s?|mentionnée?s?|spécifiée?s?|abordée?s?|détaillée?s?|clair)\b(?! par "
    r"(?!les? |ces? ))",
    rf"\bn(?:e |')(?:\w+ )?(?:sont |est |a |ont )?(?:\w+ )?pas (?:été )?(?:\w+ )?{_FRENCH_SAID}{SHORT_GAP} "
    rf"(?:dans|par|à partir) (?:les?|ces?|l'|des?|cet) ?{SHORT_GAP}{FRENCH_EVIDENCE}",
    r"\bne (?:trouve|trouvent|trouvons|fait|font|contient|contiennent) (?:pas|aucune?) (?:de |d')?"
    r"(?:\w+ )?(?:mention|information|donnée|trace|indication|précision)",
    r"\bn(?:e |')(?:figure|figurent|ressort|ressortent|apparaît|apparaissent|se trouve|se trouvent) "
    r"(?:pas|nulle part)\b|\b(?:je|nous|on) ne dispos\w+ pas\b",
    r"\bil n'y a (?:pas|aucune?) (?:d'|de |assez )?(?:\w+ )?(?:information|donnée|mention|précision"
    r"|indication)s?\b",
    rf"\b(?:je|nous|on) n'(?:ai|avons|a) (?:pas|rien|pu|trouvé)\b{SHORT_GAP}(?:trouv|déterminer|identifi"
    r"|pu|aucune)",
    r"\b(?:impossible|pas possible) de (?:déterminer|dire|savoir|répondre|établir|conclure|vérifier"
    r"|confirmer|calculer)\b",
    r"\bne (?:peut|peuvent|permet|permettent) (?:pas |donc pas )?(?:être |d'|de )?(?:déterminée?s?"
    r"|établie?s?|vérifiée?s?|répondre|conclure|déterminer|savoir|établir|répondu|affirmer)\b",
)

SPANISH_EVIDENCE = (
    r"(?:documentos?|fuentes?|pasajes?|fragmentos?|textos?|contexto|informes?|evidencias?|materiales?"
    r"|archivos?|extractos?|(?:información|datos) (?:proporcionad\w+|disponibles?|facilitad\w+))"
)
_SPANISH_SAY = (
    r"(?:mencion|indic|dice|dicen|especific|contien|proporcion|incluye|ofrec|cubre|aborda|detall|revel"
    r"|aclar|explic|facilit|aporta|recog|trata|describ|permit|señal|hace|hacen|dan\b|da\b|preci[sz]"
    r"|menciona|informa|cuantific|responde|mostr|muestr|figur|respald)\w*"
)
SPANISH_LIMITS = (
    rf"\b{SPANISH_EVIDENCE}\b{GAP}\bno (?:\w+ )?{_SPANISH_SAY}",
    r"\bno se (?:\w+ )?(?:menciona|especifica|indica|detalla|precisa|explica|aclara|aborda|cuantifica"
    r"|dice|encontr|ha encontrado|han encontrado|dispone|hallar|halló|hace mención)\w*",
    r"\bno se (?:\w+ )?(?:divulga|proporciona|revela|informa|incluye|ofrece|facilita"
    rf"|recoge)\w*{SHORT_GAP} en (?:los|las|el|la|estos|estas) {SHORT_GAP}{SPANISH_EVIDENCE}",
    rf"\bno (?:hay|existe|existen|consta|constan|figura|figuran|aparece|aparecen)\b{SHORT_GAP}"
    r"(?:información|datos|mención|detalles|referencias?|evidencias?|indicios|constancia|en (?:los|las"
    rf"|el|la) {SHORT_GAP}{SPANISH_EVIDENCE})",
    rf"\b(?:ningun[oa]|ningún) (?:de (?:los|las|estos|estas) )?(?:{SPANISH_EVIDENCE}|información|dato|mención)",
    r"\bno (?:es|ha sido|fue|resulta) posible (?:determinar|saber|responder|establecer|concluir"
    r"|verificar|confirmar|encontrar|calcular)",
    r"\bno (?:se )?pued\w+ (?:ser )?(?:determinar|establecer|responder|verificar|concluir|saber"
    r"|confirmar|inferir|calcular)(?:se|d[oa]s?)?\b",
    r"\bno (?:he |hemos )?(?:encontré|encontramos|encontrado|pude|podido|pudimos|dispongo|disponemos)\b",
    r"\bno (?:está|están|es|son|queda) (?:\w+mente )?(?:especificad|indicad|mencionad|detallad|clar"
    r"|disponible|precisad)\w*\b(?! por (?!los|las))",
)

ITALIAN_EVIDENCE = (
    r"(?:documenti|documento|fonti|fonte|passaggi|brani|estratti|test[oi]|contesto|rapporti|rapporto"
    r"|relazion[ei]|prove|material[ei]|file|(?:informazioni|dati) (?:fornit\w|disponibili))"
)
_ITALIAN_SAY = (
    r"(?:menzion|indic|specific|conten|contien|fornis|riport|precis|dic|tratt|copr|affront|rivel|spieg"
    r"|chiaris|descriv|dettagli|includ|offr|permett|consent|quantific|fann|fa\b|cit|rispond|comprend)\w*"
)
ITALIAN_LIMITS = (
    rf"\b{ITALIAN_EVIDENCE}\b{GAP}\bnon (?:\w+ )?{_ITALIAN_SAY}",
    r"\bnon (?:è|sono|è stato|è stata|viene|vengono|risulta|risultano) (?:\w+mente )?(?:specificat"
    r"|indicat|menzionat|precisat|riportat|dettagliat|chiar|quantificat|trattat)\w*\b(?! da(?:l|lla"
    rf"|ll')? (?!{ITALIAN_EVIDENCE}))",
    rf"\bnon (?:è|sono|viene|vengono|risulta)\b{SHORT_GAP} (?:nei|nelle|dai|dalle|nel|nella"
    rf"|dal) {SHORT_GAP}{ITALIAN_EVIDENCE}",
    r"\bnon (?:ci sono|vi sono|esistono|c'è|vi è|è presente|sono presenti"
    rf"|sono disponibili)\b{SHORT_GAP}(?:informazion|dat[io]|menzion|dettagli|riferiment|indicazion"
    r"|elementi)",
    rf"\bnessun[ao']? ?(?:delle |dei |degli )?(?:informazion|dat[io]|menzion|indicazion|dettagli|{ITALIAN_EVIDENCE})",
    r"\bnon (?:è|è stato) possibile (?:determinare|stabilire|rispondere|dire|concludere|verificare"
    r"|trovare|sapere|confermare|calcolare)",
    r"\bnon (?:ho|abbiamo) (?:trovato|potuto|rinvenuto|informazioni)\b|\bnon si (?:evince|evincono|può "
    r"(?:determinare|stabilire|dire|concludere)|desume|desumono|dice|specifica|menziona|indica)\b",
    r"\bnon può essere (?:determinat|stabilit|verificat|conclus|confermat|calcolat)\w\b",
)

PORTUGUESE_EVIDENCE = (
    r"(?:documentos?|fontes?|trechos?|passagens|excertos?|textos?|contexto|relatórios?|evidências?"
    r"|materia(?:l|is)|arquivos?|ficheiros?|(?:informações|dados) (?:fornecid\w+|disponíveis))"
)
_PORTUGUESE_SAY = (
    r"(?:mencion|indic|inform|especific|cont[êeé]m|conte|fornec|diz|traz|abrang|abord|revel|explic|detalh"
    r"|inclu|oferec|cobr|trat|apresent|esclarec|permit|quantific|faz|fazem|dão|dá\b|descrev|respond"
    r"|cit)\w*"
)
PORTUGUESE_LIMITS = (
    rf"\b{PORTUGUESE_EVIDENCE}\b{GAP}\bnão (?:\w+ )?{_PORTUGUESE_SAY}",
    r"\bnão (?:há|existem?|constam?|figuram?|foram? (?:encontrad\w+|localizad\w+|possível)|aparecem?)\b"
    rf"(?:{SHORT_GAP}(?:informaç|dados|menção|detalhes|referências?|evidências?"
    rf"|n[oa]s? {SHORT_GAP}{PORTUGUESE_EVIDENCE})|$|\W|{SHORT_GAP}(?:determinar|encontrar|responder))",
    rf"\bnenhuma? (?:das |dos )?(?:informação|dado|menção|detalhe|indicação|{PORTUGUESE_EVIDENCE})",
    r"\bnão (?:é|está|são|estão|foi|foram) (?:\w+mente )?(?:mencionad|especificad|informad|indicad"
    r"|detalhad|clar|esclarecid|precisad)\w*\b(?! pel(?!os docu|as font))",
    r"\bnão (?:é|foi) possível (?:determinar|saber|responder|estabelecer|concluir|verificar|confirmar"
    r"|encontrar|calcular)",
    r"\bnão (?:se )?pod\w+ (?:ser )?(?:determinar|estabelecer|responder|verificar|concluir|saber"
    r"|confirmar|inferir|determinad\w|verificad\w)\b",
    r"\bnão (?:encontrei|encontramos|localizei|consegui|conseguimos|disponho|se menciona|se especifica"
    r"|se indica)\b",
)

DUTCH_EVIDENCE = (
    r"(?:documenten|document|bronnen|bron|passages?|fragmenten|fragment|teksten|tekst|context|rapporten"
    r"|rapport|bewijs(?:materiaal)?|stukken|materiaal|bestanden|(?:verstrekte|beschikbare) (?:informatie"
    r"|gegevens))"
)
_DUTCH_SAY = (
    r"(?:vermeld|noem|gev|geef|bevat|zeg|verstrek|behandel|beschrijv|specificer|specificeer|besprek"
    r"|bespreek|dekk|dekt|onthul|verklar|verklaar|toelicht|ga|gaan|gaat|biedt|bieden|mak|maken|maakt"
    r"|staat|staan|meld)\w*"
)
_DUTCH_SAID = (
    r"(?:vermeld|genoemd|gespecificeerd|aangegeven|beschreven|besproken|toegelicht|gegeven|behandeld"
    r"|gekwantificeerd|opgenomen|duidelijk)"
)
DUTCH_LIMITS = (
    rf"\b{DUTCH_EVIDENCE}\b (?:\w+ ){{0,3}}?{_DUTCH_SAY}\b{GAP}\b(?:niet|geen|niets|nergens)\b",
    rf"\b(?:geen|onvoldoende) (?:\w+ ){{0,2}}(?:informatie|gegevens|vermelding|details|bewijs"
    rf"|aanwijzing\w*)\b{GAP}\b(?:gevonden|beschikbaar|aanwezig|verstrekt|vermeld|opgenomen|over|voor|om"
    r"|te vinden)\b",
    rf"\b(?:wordt|worden|is|zijn|werd|werden) (?:\w+ ){{0,6}}niet (?:\w+ )?{_DUTCH_SAID}\b(?! door (?!de "
    r"(?:bron|doc)))",
    r"\bkan (?:\w+ ){0,8}niet (?:\w+ )?(?:worden )?(?:bepaald|vastgesteld|beantwoord|afgeleid"
    r"|geverifieerd|geconcludeerd|gezegd)\b",
    rf"\b(?:ik|we|wij) (?:kon|kan|konden|kunnen|heb|hebben) (?:\w+ ){{0,6}}(?:geen|niet)\b{GAP}(?:vinden"
    r"|gevonden|bepalen|vaststellen|beantwoorden)\b",
    rf"\b(?:blijkt|staat|staan|komt|volgt) (?:\w+ ){{0,4}}niet (?:\w+ )?(?:uit|in|voor in) (?:de|het"
    rf"|deze) (?:\w+ ){{0,2}}{DUTCH_EVIDENCE}",
    rf"\bgeen (?:enkel\w* )?(?:van (?:de|deze) )?{DUTCH_EVIDENCE}\b",
    rf"\b(?:informatie|gegevens|details|cijfers)\b{GAP}\bontbre(?:ekt|ken)\b|\b{DUTCH_EVIDENCE}\b{SHORT_GAP}\b"
    r"(?:blijkt|volgt|staat) (?:niet|niets)\b",
    r"\ber (?:is|zijn|wordt|worden) (?:\w+ )?(?:geen|onvoldoende) (?:\w+ )?(?:informatie|gegevens"
    r"|vermelding|melding)",
)

NORDIC_EVIDENCE = (
    r"(?:dokument\w*|källor\w*|källan|kilder\w*|kilden|underlag\w*|rapport\w*|utdrag\w*|texten|teksten"
    r"|tekster\w*|passager\w*|materialet|beviserne|kontekst\w*)"
)
NORDIC_LIMITS = (
    rf"\b{NORDIC_EVIDENCE}\b (?:\w+ ){{0,3}}?(?:nämner|anger|innehåller|säger|beskriver|täcker|ger|behandlar"
    r"|redovisar|nævner|oplyser|indeholder|angiver|siger|nevner|oppgir|inneholder|sier|dekker|dækker"
    rf"|specificerar|specificerer|spesifiserer|omtaler|gir|giver) (?:\w+ ){{0,3}}?(?:inte|ikke|ingen|inga"
    r"|inget|intet|ingenting)\b",
    r"\b(?:framgår|fremgår|anges|nämns|nævnes|nevnes|oppgis|oplyses|specificeras|omtales|redovisas) "
    r"(?:\w+ )?(?:inte|ikke)\b",
    r"\b(?:ingen|inga|ingen) (?:\w+ )?(?:information|uppgifter|oplysninger|opplysninger|informasjon|data"
    r"|omnämnande)\b",
    r"\b(?:jag|jeg|vi) (?:hittade|hittar|kunde|kan|fant|fandt|finner) (?:\w+ )?(?:inte|ikke|ingen|inga)\b"
    r"|\b(?:går|er) (?:det )?(?:inte|ikke) (?:mulig\w* )?(?:att|at|å) (?:avgöra|fastställa|afgøre|fastslå"
    r"|avgjøre)",
)

WORLDWIDE_EVIDENCE = r"(?:документ|источник|文件|文档|资料|資料|文書|문서|المستند|الوثائق|दस्तावेज)"
_POLISH_AND_RUSSIAN = (
    r"\b(?:dokument\w*|źród\w+|materiał\w*|tekst\w*|raport\w*|fragment\w*)\b[^.;]{0,60}?\bnie (?:\w+ )?"
    r"(?:zawiera|podaj|wspomina|określa|wskazuj|opisuj|informuj|precyzuj|wymienia|obejmuj|mówi|poda)\w*",
    r"\bbrak (?:\w+ )?(?:informacji|danych|wzmianki)\b|\bnie (?:znaleziono|znalazłem|znalazłam|podano"
    r"|określono|wskazano|wspomniano|sprecyzowano)\b|\bnie (?:można|da się) (?:\w+ )?(?:ustalić|określić"
    r"|stwierdzić|odpowiedzieć)\b",
    r"\b(?:документ\w*|источник\w*|материал\w*|текст\w*|отчет\w*|отчёт\w*|фрагмент\w*)\b[^.;]{0,60}?\b"
    r"(?:не (?:\w+ )?(?:содерж|указ|упомина|сообща|говор|привод|раскры|уточня|описыва|охватыва|отраж"
    r"|назва)\w*|нет (?:\w+ )?(?:информации|данных|сведений|упоминани\w+))",
    r"\bнет (?:\w+ )?(?:информации|данных|сведений|упоминани\w+)\b|\b(?:информаци\w+|данные"
    r"|сведения)\b[^.;]{0,60}?\b(?:не (?:найден|указан|приведен|представлен)\w*|отсутству\w+)|\b"
    r"(?:невозможно|нельзя|не удалось) (?:\w+ )?(?:определить|установить|найти|ответить|сказать"
    r"|подтвердить)",
    r"\bне (?:указан|уточня|упомина|сообща)\w*\b[^.;]{0,40}\b(?:документ|источник|материал)\w*",
)
_TURKISH = (
    r"\b(?:belge|kaynak|doküman|metin|rapor|kanıt)\w*\b[^.;]{0,80}?(?:belirtilme|bahsedilme|yer alma"
    r"|bulunma|açıklanma|verilme|değinilme|içerme|belirtme)\w*",
    r"\bbilgi\w* (?:\w+ )?(?:bulunamadı|bulunmamaktadır|yok|yoktur|mevcut değil\w*)|\bbelirlenem\w+"
    r"|\bbulamadım\b",
)
_CHINESE_JAPANESE_KOREAN = (
    r"(?:文件|文档|文檔|资料|資料|来源|來源|材料|证据|證據|报告|報告|上下文|原文|文本|段落)[^。；]{0,40}?(?:未"
    r"|没有|沒有|并未|並未|不|无|無)[^。；]{0,12}?"
    r"(?:信息|資訊|提及|提到|说明|說明|披露|提供|包含|涉及|给出|給出|显示|顯示|指出|列出|记载|記載|涵盖|涵蓋"
    r"|足以|相关信息|相關)",
    r"(?:没有|沒有|未能?)(?:找到|发现|發現|提及|说明|說明|披露)[^。；]{0,30}(?:信息|資訊|资料|資料|数据|數據"
    r"|内容|內容|依据)|(?:无法|無法|不能)(?:从|從"
    r"|根据|根據|据此)?[^。；]{0,20}?(?:确定|確定|得出|判断|判斷|回答|得知|推断|推斷)",
    r"(?:文書|資料|文献|証拠|報告書|ドキュメント|ソース|出典|根拠|抜粋|文脈|本文)[^。]{0,40}?(?:記載"
    r"(?:されてい|がありま|はありま|があり|されて)|言及(?:されてい"
    r"|してい|がありま|はありま)|含まれてい|示されてい|述べられてい|明らかにされてい|説明されてい|書かれてい"
    r"|触れられてい)(?:ません|ない|せん)",
    r"情報(?:は|が|を)?[^。]{0,20}?(?:見つかりません|ありません|見当たりません|不足して|見つけられません)|"
    r"(?:判断|特定|確認|回答|断定)(?:は|が)?(?:でき"
    r"(?:ません|ない)|不可能)|(?:記載|言及)(?:は|が)(?:ありません|ない|見当たりません)",
    r"(?:문서|자료|출처|보고서|증거|본문|문맥)\w*[^.]{0,40}?(?:명시|언급|포함|기재|설명|공개|제시|나와|다루)\w*"
    r"(?: 있)?지 않|정보\w*[^.]{0,20}?"
    r"(?:없|찾을 수 없|부족)|(?:확인|판단|알|결정|답변)할 수 없|알 수 없",
)
_ARABIC_AND_HINDI = (
    r"(?:المستندات|الوثائق|المصادر|النصوص|النص|الأدلة|التقرير|التقارير|المستند|الوثيقة"
    r"|السياق)[^.؛]{0,40}?\b(?:لا|لم) \w+",
    r"\b(?:لا|لم) (?:تذكر|تحتوي|توضح|تشير|تقدم|تتضمن|تحدد|يذكر|تغطي|تكشف|يرد|ترد)\w*[^.؛]{0,40}?"
    r"(?:المستندات|الوثائق|المصادر|النصوص|النص|الأدلة|التقرير|المستند|الوثيقة)",
    r"(?:لا (?:توجد|يوجد)|لم (?:يتم العثور على|أجد|أعثر على|نجد|ترد)) (?:أي )?(?:معلومات|بيانات|ذكر|إشارة"
    r"|تفاصيل)|لا يمكن (?:تحديد|معرفة|الإجابة|الاستنتاج|التحقق)|غير (?:مذكور|محدد|متوفر|واضح)\w* في",
    r"(?:दस्तावेज|दस्तावेज़|स्रोत|साक्ष्य|रिपोर्ट|पाठ|अंश)[^।]{0,60}?(?:उल्लेख|जानकारी|विवरण|बताया|दिया"
    r"|स्पष्ट|शामिल|उपलब्ध)[^।]{0,12}?नहीं|कोई (?:जानकारी|उल्लेख|विवरण|आंकड़े)[^।]{0,20}?नहीं"
    r"|निर्धारित नहीं किया जा सकता",
)

WORLDWIDE_LIMITS = (*_POLISH_AND_RUSSIAN, *_TURKISH, *_CHINESE_JAPANESE_KOREAN, *_ARABIC_AND_HINDI)


@cache
def limit_patterns() -> tuple[re.Pattern[str], ...]:
    """Compiled on first use, because a hundred patterns take a while to compile and importing should cost nothing."""
    patterns = [
        *english.LIMITS,
        *GERMAN_LIMITS,
        *FRENCH_LIMITS,
        *SPANISH_LIMITS,
        *ITALIAN_LIMITS,
        *PORTUGUESE_LIMITS,
        *DUTCH_LIMITS,
        *NORDIC_LIMITS,
        *WORLDWIDE_LIMITS,
    ]
    return tuple(re.compile(pattern) for pattern in patterns)


@cache
def evidence_pattern() -> re.Pattern[str]:
    """Matches any word for the evidence, in any of the languages."""
    nouns = "|".join(
        [
            english.EVIDENCE,
            GERMAN_EVIDENCE,
            FRENCH_EVIDENCE,
            SPANISH_EVIDENCE,
            ITALIAN_EVIDENCE,
            PORTUGUESE_EVIDENCE,
            DUTCH_EVIDENCE,
            NORDIC_EVIDENCE,
        ]
    )
    return re.compile(rf"\b(?:{nouns})\b|{WORLDWIDE_EVIDENCE}")
