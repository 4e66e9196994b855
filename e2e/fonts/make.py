"""Makes Machine.ttf: a font in which every character is the same box. Needs fonttools."""
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib import newTable

def box():
    pen = TTGlyphPen(None)
    for points in ([(80, 0), (80, 700), (520, 700), (520, 0)], [(140, 60), (460, 60), (460, 640), (140, 640)]):
        pen.moveTo(points[0])
        for point in points[1:]:
            pen.lineTo(point)
        pen.closePath()
    return pen.glyph()


def characters(form, encoding, codes):
    table = CmapSubtable.newSubtable(form)
    table.platformID, table.platEncID, table.language = 3, encoding, 0
    table.cmap = dict.fromkeys(codes, 'box')
    return table


fb = FontBuilder(1000, isTTF=True)
fb.setupGlyphOrder(['.notdef', 'box'])
fb.setupCharacterMap({0x20: 'box'})
fb.setupGlyf({'.notdef': box(), 'box': box()})
fb.setupHorizontalMetrics({'.notdef': (600, 80), 'box': (600, 80)})
fb.setupHorizontalHeader(ascent=800, descent=-200)
fb.setupNameTable({'familyName': 'Machine', 'styleName': 'Regular'})
fb.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
fb.setupPost()
cmap = newTable('cmap')
cmap.tableVersion = 0
everything = [*range(0x20, 0xD800), *range(0xE000, 0x30000)]
cmap.tables = [characters(4, 1, range(0x20, 0x7F)), characters(13, 10, everything)]
fb.font['cmap'] = cmap
fb.save('Machine.ttf')
