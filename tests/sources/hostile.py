"""Files made to do harm, made in memory."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Mapping


def zip_of(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tar_of(files: Mapping[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def pdf_bomb(megabytes: int) -> bytes:
    """One page whose compressed content unpacks to that many megabytes of drawing commands."""
    stream = zlib.compress(b"BT /F1 9 Tf (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n" * (megabytes * 16_000), 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(body)
    return body + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def zip_bomb(megabytes: int) -> bytes:
    return zip_of({"report.txt": b"a" * megabytes * 1_000_000})


XML_BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "haha">'
    + b"".join(
        b'<!ENTITY lol%d "%s">' % (level, b"&lol%s;" % (b"%d" % (level - 1) if level > 1 else b"") * 10)
        for level in range(1, 12)
    )
    + b"]><lolz>&lol11;</lolz>"
)


def xxe(address: str) -> bytes:
    return (
        f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "{address}"><!ENTITY % y SYSTEM "{address}"> %y;]>'
        "<a>Revenue rose. &x;</a>"
    ).encode()


_TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    b'<Default Extension="xml" ContentType="application/xml"/>%s</Types>'
)
_RELATIONS = (
    b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    b"%s</Relationships>"
)
_OFFICE = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx_with(document_xml: bytes) -> bytes:
    main = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    override = b'<Override PartName="/word/document.xml" ContentType="%s"/>' % main
    relation = b'<Relationship Id="r1" Type="%s/officeDocument" Target="word/document.xml"/>' % _OFFICE
    return zip_of(
        {
            "[Content_Types].xml": _TYPES % override,
            "_rels/.rels": _RELATIONS % relation,
            "word/document.xml": document_xml,
        }
    )


def xlsx_with(sheet_xml: bytes) -> bytes:
    spreadsheet = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    main = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    return zip_of(
        {
            "[Content_Types].xml": _TYPES % (b'<Override PartName="/xl/workbook.xml" ContentType="%s"/>' % main),
            "_rels/.rels": _RELATIONS
            % (b'<Relationship Id="r1" Type="%s/officeDocument" Target="xl/workbook.xml"/>' % _OFFICE),
            "xl/workbook.xml": b'<workbook xmlns="%s" xmlns:r="%s"><sheets><sheet name="Data" sheetId="1" r:id="r1"/>'
            b"</sheets></workbook>" % (spreadsheet, _OFFICE),
            "xl/_rels/workbook.xml.rels": _RELATIONS
            % (b'<Relationship Id="r1" Type="%s/worksheet" Target="worksheets/sheet1.xml"/>' % _OFFICE),
            "xl/worksheets/sheet1.xml": b'<worksheet xmlns="%s">%s</worksheet>' % (spreadsheet, sheet_xml),
        }
    )
