import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct SniffingTests {
    private static func text(_ text: String) -> Data { Data(text.utf8) }

    private static func ftyp(_ major: String, _ compatible: String...) -> Data {
        let size = UInt8(16 + 4 * compatible.count)
        return Data([0, 0, 0, size]) + text("ftyp" + major) + Data([0, 0, 0, 0]) + text(compatible.joined())
    }

    private static func icon(kind: UInt8, entryCount: UInt8 = 1, offset: UInt8 = 22) -> Data {
        Data([0, 0, kind, 0, entryCount, 0, 16, 16, 0, 0, 1, 0, 32, 0, 0x68, 4, 0, 0, offset, 0, 0, 0])
    }

    private static func bitmap(headerSize: UInt8) -> Data {
        Data([0x42, 0x4D, 0, 1, 0, 0, 0, 0, 0, 0, 14 + headerSize, 0, 0, 0, headerSize, 0, 0, 0])
    }

    static let known: [(ImageFormat, Data)] = [
        (.jpeg, Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16])),
        (.jpeg, Data([0xFF, 0xD8, 0xFF, 0xDB, 0, 67])),
        (.png, Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
        (.gif, text("GIF87a")), (.gif, text("GIF89a")),
        (.webP, text("RIFF") + Data([0, 0, 0, 0]) + text("WEBPVP8L")),
        (.avif, ftyp("avif", "mif1")), (.avif, ftyp("avis", "msf1")), (.avif, ftyp("mif1", "miaf", "avif")),
        (.heic, ftyp("heic", "mif1")), (.heic, ftyp("heix")), (.heic, ftyp("hevc")), (.heic, ftyp("hevx")),
        (.heic, ftyp("heim")), (.heic, ftyp("heis")), (.heic, ftyp("hevm")), (.heic, ftyp("hevs")),
        (.heic, ftyp("mif1", "heic")), (.heic, ftyp("msf1", "hevc")), (.heic, ftyp("mif1")),
        (.jpegXL, Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])),
        (.jpegXL, Data([0xFF, 0x0A, 0xFA, 0x1F, 0x41, 0x91])),
        (.tiff, Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0])), (.tiff, Data([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8])),
        (.tiff, Data([0x49, 0x49, 0x2B, 0, 8, 0, 0, 0])), (.tiff, Data([0x4D, 0x4D, 0, 0x2B, 0, 8, 0, 0])),
        (.bmp, bitmap(headerSize: 40)), (.bmp, bitmap(headerSize: 12)), (.bmp, bitmap(headerSize: 124)),
        (.ico, icon(kind: 1)), (.ico, icon(kind: 2)),
        (.svg, text("<svg xmlns='http://www.w3.org/2000/svg'/>")),
        (
            .svg,
            text(
                "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- a > b --><!DOCTYPE svg PUBLIC \"-//W3C\" \"x\">\n<svg>"
            )
        ),
        (.svg, text("<!DOCTYPE svg [ <!ENTITY a \"b>\"> ]>\r\n<svg:svg >")),
    ]

    @Test(arguments: known)
    func `the first bytes determine the format`(format: ImageFormat, bytes: Data) {
        #expect(ImageFormat(sniffing: bytes) == format)
        #expect(ImageFormat(sniffing: bytes + Data(count: 4000)) == format)
    }

    @Test(arguments: known)
    func `a slice is read from its start`(format: ImageFormat, bytes: Data) {
        #expect(ImageFormat(sniffing: (Data([1, 2, 3]) + bytes).dropFirst(3)) == format)
    }

    @Test(arguments: known)
    func `two bytes never determine the format`(format: ImageFormat, bytes: Data) {
        #expect(ImageFormat(sniffing: bytes.prefix(2)) == nil)
    }

    @Test(arguments: [
        Data(), Data([0xFF]), Data([0xFF, 0xD8, 0xFF]), Data([0xFF, 0xD8, 0xFF, 0xD9]),
        Data([0xFF, 0xD8, 0, 0]),
        text("<!DOCTYPE html><html><body><svg></svg></body></html>"), text("<html><svg>"), text("<svgfoo>"),
        text("<!-- a comment without end <svg>"), text("see <svg>"),
        text("BM is how this sentence starts, which is no bitmap"), bitmap(headerSize: 13),
        icon(kind: 3), icon(kind: 1, entryCount: 0), icon(kind: 1, offset: 3),
        ftyp("isom", "mp42"), ftyp("qt  "), text("RIFF") + Data([0, 0, 0, 0]) + text("WAVEfmt "),
        text("GIF90a"), Data([0xFF, 0x0A]), Data([0xFF, 0x0A, 0x41]),
        Data([0xFF, 0x0A]) + Data(repeating: 0xFE, count: 20), text("MM"), text("hello, world"),
        Data(count: 64),
    ])
    func `data that resembles an image is not recognised`(bytes: Data) {
        #expect(ImageFormat(sniffing: bytes) == nil)
    }

    @Test(arguments: [1_117, 3_460, 60_000])
    func `an SVG after a long comment is recognised`(byteCount: Int) {
        let comment = "<?xml version='1.0'?><!--" + String(repeating: "> ", count: byteCount / 2) + "-->"
        #expect(ImageFormat(sniffing: Data((comment + "<svg width='3'/>").utf8)) == .svg)
    }

    @Test(arguments: [
        "<ns0:svg xmlns:ns0='http://www.w3.org/2000/svg'/>", "<svg:svg>", "<svg\n>",
        "<!DOCTYPE svg [ <!ENTITY a ']>'> <!-- ]> --> ]><svg/>",
        "<!DOCTYPE ns0:svg SYSTEM 'a>b'><ns0:svg/>",
    ])
    func `the SVG root is recognised with any prefix and document type`(text: String) {
        #expect(ImageFormat(sniffing: Data(text.utf8)) == .svg)
        for (mark, encoding): ([UInt8], String.Encoding) in [
            ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian), ([], .utf16BigEndian),
            ([], .utf16LittleEndian),
        ] {
            let units = text.data(using: encoding) ?? Data()
            #expect(ImageFormat(sniffing: Data(mark) + units) == .svg, "\(encoding)")
        }
    }

    @Test(arguments: [
        "<a:b:svg>", "<:svg>", "<svg:>", "<svg", "<x:svgs/>", "<!doctype HTML><svg>", "<!DOCTYPE HTML ><svg>",
        "<!DOCTYPE svg [", "<?xml",
    ])
    func `an element that is not svg is not recognised`(text: String) {
        #expect(ImageFormat(sniffing: Data(text.utf8)) == nil)
    }

    @Test func `the search for an SVG root is bounded`() {
        let comment = "<!--" + String(repeating: "x", count: 65_536) + "-->"
        #expect(ImageFormat(sniffing: Data((comment + "<svg>").utf8)) == nil)
    }
}
