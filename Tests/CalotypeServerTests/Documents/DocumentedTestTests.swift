import Foundation
import TestSupport
import Testing

@Suite(.gated) struct DocumentedTestTests {
    @Test func `each row of the hostile requests names existing tests`() throws {
        let document = try Document("Docs/service/hostile-requests.md")
        let names = try Document.testNames()
        let headings = ["Addresses", "URLs", "Signatures", "Options", "Origins", "Pictures", "Delivery"]
        for heading in headings {
            let rows = document.rows(under: heading)
            #expect(rows.count >= 3, "\(heading)")
            for row in rows {
                let tests = Document.codes(in: row.last ?? "")
                #expect(!tests.isEmpty && row.count == 2, "\(row)")
                for test in tests where !names.contains(test) {
                    Issue.record("\(heading): there is no test “\(test)”")
                }
            }
        }
    }

    @Test func `each row of the service's threats names existing tests`() throws {
        let rows = try Document("Docs/threat-model.md").rows(under: "The image service")
        let names = try Document.testNames()
        #expect(rows.count > 15)
        for row in rows {
            let tests = Document.codes(in: row.last ?? "")
            #expect(!tests.isEmpty && row.count == 3, "\(row)")
            for test in tests where !names.contains(test) { Issue.record("there is no test “\(test)”") }
        }
    }

    @Test func `each setting on a migration page exists`() throws {
        let folder = Document.root.appending(path: "Sources/CalotypeCLI/Serve/Settings").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }.joined()
        let pages = ["imgproxy", "thumbor"]
        for page in pages {
            let document = try Document("Docs/service/moving-from-\(page).md")
            let rows = document.rows(under: "Settings side by side")
            #expect(rows.count > 10)
            for name in rows.flatMap({ Document.codes(in: $0.count > 1 ? $0[1] : "") }) {
                let setting = name.replacing("CALOTYPE_", with: "").lowercased().replacing("_", with: "-")
                #expect(sources.contains("\"\(setting)\","), "\(name)")
            }
            guard page == "imgproxy" else { continue }
            for row in rows where !(row.count > 1 && row[1].isEmpty) {
                for name in Document.codes(in: row[0]) {
                    let variable = name.replacing("IMGPROXY_", with: "")
                    #expect(["\"\(variable)\"", "\"\(name)\""].contains { sources.contains($0) }, "\(name)")
                }
            }
        }
    }
}
