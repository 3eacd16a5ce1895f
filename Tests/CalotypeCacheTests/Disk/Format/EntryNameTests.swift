import CalotypeCache
import TestSupport
import Testing

@Suite(.blocking) struct EntryNameTests {
    @Test func `the name is the first half of SHA-256 and the extension`() {
        // `printf %s KEY | sha256sum | cut -c1-32`.
        let name = EntryName(key: "https://example.org/a.jpg")
        #expect(name.fileName == "700caca5ae8f856fc70b39312664d5c9.jpg")
        #expect(name.folderName == "70")
        #expect(EntryName(key: "").fileName == "e3b0c44298fc1c149afbf4c8996fb924")
    }

    @Test(arguments: [
        ("https://example.org/a.jpg", "jpg"),
        ("https://example.org/a.JPG?w=1.5#x.png", "JPG"),
        ("https://example.org/a.tar.gz", "gz"),
        ("https://example.org", ""),
        ("https://example.org/", ""),
        ("https://example.org?a.jpg", ""),
        ("https://example.org/b.c/d", ""),
        ("https://example.org/.image", ""),
        ("https://example.org/image.", ""),
        ("https://example.org/a.j%70g", ""),
        ("https://example.org/a.abcdefghijklmnop", "abcdefghijklmnop"),
        ("https://example.org/a.abcdefghijklmnopq", ""),
        ("https://example.org/a.jpé", ""),
        ("file:///home/a/b.png", "png"),
        ("data:image/png;base64,AAAA", ""),
        ("photo.webp", "webp"),
        ("folder/photo.webp?x.gif", "gif"),
        ("1a:b.png", "png"),
        ("a\0.png", "png"),
        ("..", ""),
        ("", ""),
    ])
    func `the extension is the URL path's, else the key's`(key: String, expected: String) {
        #expect(EntryName(key: key).pathExtension == expected)
    }

    @Test func `a file name is parsed back`() throws {
        for key in ["https://example.org/a.jpg", "no extension", ""] {
            let name = EntryName(key: key)
            #expect(EntryName(fileName: name.fileName) == name)
        }
    }

    @Test(arguments: [
        "", "settings", "700caca5ae8f856fc70b39312664d5c", "700CACA5AE8F856FC70B39312664D5C9",
        "700caca5ae8f856fc70b39312664d5c9.", "700caca5ae8f856fc70b39312664d5c9.j/g",
        "700caca5ae8f856fc70b39312664d5c9jpg", "700caca5ae8f856fc70b39312664d5c9.abcdefghijklmnopq",
        "g00caca5ae8f856fc70b39312664d5c9", ".700caca5ae8f856fc70b39312664d5c9",
        "700caca5ae8f856fc70b39312664d5c9\u{6d8}", "700caca5ae8f856fc70b39312664d5c9.\u{6d8}jpg",
    ])
    func `a foreign file name is not parsed`(fileName: String) {
        #expect(EntryName(fileName: fileName) == nil)
    }

    @Test func `there are 256 folders`() {
        let names = (0..<256).map(EntryName.folderName(at:))
        #expect(Set(names).count == 256)
        #expect(names.first == "00")
        #expect(names.last == "ff")
    }
}
