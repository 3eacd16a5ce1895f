import Foundation
import TestSupport
import Testing

@testable import CalotypeServer

/// `Docs/service/urls.md`, checked against the grammars.
@Suite(.gated) struct URLReferenceTests {
    private let document: Document
    private let imgproxy: ImgproxyGrammar

    init() throws {
        document = try Document("Docs/service/urls.md")
        imgproxy = ImgproxyGrammar(presets: try ImgproxyPresets(["thumb=w:10"]))
    }

    private var options: [[String]] { document.rows(under: "imgproxy: options") }
    private var filters: [[String]] { document.rows(under: "thumbor: filters") }

    /// The names in the `switch` cases of a file.
    private static func cases(in path: String) throws -> Set<String> {
        let lines = try Document("Sources/CalotypeServer/Grammar/\(path).swift").text.split(separator: "\n")
        return lines.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("case \"") }.reduce(into: []) {
            let texts = $1.prefix { $0 != ":" }.split(separator: "\"", omittingEmptySubsequences: false)
            for index in stride(from: 1, to: texts.count - 1, by: 2) { $0.insert(String(texts[index])) }
        }
    }

    @Test func `each option accepts its example under each of its names`() throws {
        let taken = options.filter { $0.count == 5 }
        #expect(taken.count > 35)
        for row in taken {
            let example = try #require(Document.codes(in: row[4]).first)
            let arguments = example.drop { $0 != ":" }
            for name in Document.codes(in: row[0]) {
                _ = try imgproxy.rendering(of: "/unsafe/\(name)\(arguments)/\(examplePath)")
            }
        }
    }

    @Test func `each refused option has the documented status`() throws {
        let refused = options.filter { $0.count == 3 }
        for row in refused {
            let expected = try #require(Int(row[1]))
            for name in Document.codes(in: row[0]) {
                #expect(status("/unsafe/\(name):1/\(examplePath)") == expected, "\(name)")
            }
        }
    }

    @Test func `the documented options are those of the grammar`() throws {
        let told = options.flatMap { Document.codes(in: $0[0]) }
        var known = Set(ImgproxySettings.longNames.keys).union(ImgproxySettings.longNames.values)
            .union(ImgproxySettings.securityOptions).union(ImgproxySettings.unsupportedOptions)
            .union(["preset", "pr"])
        for file in ["Effects", "Output", "Pixels", "Size"] {
            known.formUnion(try Self.cases(in: "Imgproxy/ImgproxySettings+\(file)"))
        }
        #expect(Set(told).count == told.count)
        #expect(known.subtracting(told).sorted() == [] && Set(told).subtracting(known).sorted() == [])
    }

    @Test func `each filter accepts its example, and the others have the documented status`() throws {
        let grammar = ThumborGrammar()
        #expect(filters.filter { $0.count == 4 }.count > 15)
        for row in filters {
            if row.count == 4 {
                let example = try #require(Document.codes(in: row[3]).first)
                #expect(Document.codes(in: row[0]).allSatisfy { example.hasPrefix("\($0)(") })
                _ = try grammar.rendering(of: "/unsafe/filters:\(example)/src.test/a")
            } else {
                let expected = try #require(Int(row[1]))
                for name in Document.codes(in: row[0]) {
                    #expect(status("/unsafe/filters:\(name)(1)/src.test/a", grammar) == expected, "\(name)")
                }
            }
        }
    }

    @Test func `the documented filters are those of the grammar`() throws {
        let told = filters.flatMap { Document.codes(in: $0[0]) }
        let known = try Self.cases(in: "Thumbor/ThumborSettings")
            .union(try Self.cases(in: "Thumbor/ThumborSettings+Effects")).union(ThumborSettings.unsupported)
        #expect(Set(told).count == told.count)
        #expect(known.subtracting(told).sorted() == [] && Set(told).subtracting(known).sorted() == [])
    }

    @Test func `each part of a thumbor URL accepts its example`() throws {
        let rows = document.rows(under: "thumbor: parts")
        #expect(rows.count == 8)
        for row in rows {
            let example = try #require(Document.codes(in: row[3]).first)
            let rendering = try ThumborGrammar().rendering(of: "/unsafe/\(example)/src.test/a")
            // An unknown part would become the start of the source.
            #expect(rendering.source.description == "http://src.test/a", "\(example)")
        }
    }

    @Test func `each option of Cloudflare accepts its example, and the others have the documented status`()
        throws
    {
        let widths = try #require(AllowedWidths([640]))
        let grammar = CloudflareGrammar(widths: widths, site: try SiteOrigin("https://src.test"))
        let rows = document.rows(under: "Cloudflare: options")
        #expect(rows.filter { $0.count == 4 }.count > 20)
        let names = rows.flatMap { Document.codes(in: $0[0]) }
        let known = try Self.cases(in: "Cloudflare/CloudflareSettings+Options")
            .union(CloudflareSettings.longNames.keys).union(CloudflareSettings.unsupported)
        let values: Set = [
            "auto", "left", "right", "top", "bottom", "face", "none", "copyright", "keep", "avif", "webp",
            "jpeg",
            "baseline-jpeg", "json",
        ]
        #expect(Set(names).subtracting(known).sorted() == [])
        #expect(known.subtracting(values).subtracting(names).sorted() == [])
        for row in rows {
            if row.count == 4 {
                let example = try #require(Document.codes(in: row[3]).first)
                _ = try grammar.rendering(of: "/cdn-cgi/image/\(example)/a.jpg")
                let value = example.drop { $0 != "=" }
                for name in Document.codes(in: row[0]) {
                    _ = try grammar.rendering(of: "/cdn-cgi/image/\(name)\(value)/a.jpg")
                }
            } else {
                for name in Document.codes(in: row[0]) {
                    let code = refusal { _ = try grammar.rendering(of: "/cdn-cgi/image/\(name)=1/a.jpg") }
                    #expect(code == .unsupportedOption && row[1] == "422", "\(name)")
                }
            }
        }
    }

    @Test func `each option of the documents has its arguments explained`() throws {
        let rows = options.filter { $0.count == 5 && $0[1].contains(",") }
        for row in rows {
            let name = try #require(Document.codes(in: row[0]).first)
            // One argument, whose name is that of the option.
            guard !["preset", "background"].contains(name) else { continue }
            #expect(OptionGuide.imgproxy.labels[name] != nil, "\(name)")
        }
        for name in OptionGuide.imgproxy.labels.keys {
            let known =
                ImgproxySettings.longNames.values.contains(name)
                || ImgproxySettings.unsupportedOptions.contains(name)
            #expect(known, "\(name)")
        }
    }

    @Test func `each error has the documented status`() throws {
        let codes: [RequestError.Code] = [
            .malformedPath, .pathTooLong, .unknownOption, .unsupportedOption, .forbiddenOption,
            .invalidOption, .invalidSource, .sourceNotAllowed, .invalidSignature, .expired,
            .unsupportedFormat, .invalidToken, .bodyTooLarge,
        ]
        let rows = document.rows(under: "Errors")
        let told = rows.map { (Document.codes(in: $0[0]).first ?? "", Int($0[1]) ?? 0) }
        let known = codes.map { ($0.label, ProblemDocument(RequestError($0, detail: "")).status) }
        #expect(
            Dictionary(told) { first, _ in first } == Dictionary(known) { first, _ in first }
                && told.count == codes.count
        )
    }

    private func status(_ target: String, _ thumbor: ThumborGrammar? = nil) -> Int {
        do throws(RequestError) {
            if let thumbor {
                _ = try thumbor.rendering(of: target)
            } else {
                _ = try imgproxy.rendering(of: target)
            }
            return 200
        } catch {
            return ProblemDocument(error).status
        }
    }
}
