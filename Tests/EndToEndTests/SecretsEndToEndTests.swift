import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// Header values, users and passwords, which no message repeats.
@Suite(.gated) struct SecretsEndToEndTests {
    @Test(arguments: [
        ["-H", "Bearer s3cret"], ["-H", "A: s3cret\nB: c"], ["-H", "A: s3cret\u{1}"], ["-H", ": s3cret"],
        ["-H", "a b: s3cret"], ["-H", "Host: s3cret"], ["-Hs3cret"], ["-H=s3cret"], ["--header", "s3cret"],
        ["--header=s3cret"], ["--heade=A: s3cret"], ["-Hs3cret: \n"], ["-x", "http://u:s3/cret s3cret@h"],
        ["-x", "http://u:s3cret@["], ["--proxy", "s3cret://h"], ["--proxy=s3cret:x:y"], ["-xs3cret:x:y"],
        ["-A", "s3cret\n"], ["-As3cret\n"], ["-j8", "-H", "s3cret"],
    ])
    func `a rejected value is not repeated`(options: [String]) async throws {
        for command in ["load", "show"] where command == "load" || options.first != "-j8" {
            let outcome = try await Tool.run([command, "http://127.0.0.1:1/x"] + options)
            #expect(outcome.status == 2, "\(outcome)")
            #expect(!(outcome.output + outcome.errors).contains("s3c"), "\(outcome)")
            #expect(!(outcome.output + outcome.errors).contains("cret"), "\(outcome)")
            #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.count > 30)
        }
    }

    @Test(arguments: [
        "example.com:s3cret@host/x.jpg", "http://u:p s3cret@h.invalid/x.jpg", "http://u:p/s3cret@h/x.jpg",
        "http://u:p?s3cret@h/x.jpg", "http://u:p#s3cret@h/x.jpg", "http:/u:s3cret@h.invalid/x",
        "http:u:s3cret@h.invalid/x", "//u:s3cret@h/x", "u:s3cret@h:80/x", "HTTP://u:s3cret@[/x",
        "http://u:\(String(repeating: "s3cret", count: 60))@h.invalid/" + String(repeating: "x", count: 100),
        "http://u:s3cret@h.invalid/a http://u:s3cret@h.invalid/b", "ftp://s3cret@h/x",
        "http://u:“s3cret”@h.invalid/x", "http://u:p@s3cret@h.invalid/x",
    ])
    func `user and password appear in no message, however they are typed`(address: String) async throws {
        let folder = try ScratchFolder()
        for command in [
            ["load", "--no-disk", "--retry", "0"], ["show", "--cache-dir", folder.path + "/c"], ["info"],
            ["convert", "-f", "webp", "-o", folder.path + "/x.webp"],
            ["decode", "-o", folder.path + "/x.png"],
            ["load", "--no-disk", "--retry", "0", "-r", "-o", folder.path + "/out/"],
        ] {
            for json in [[], ["--json"]] {
                let outcome = try await Tool.run(command + [address] + json)
                #expect(outcome.status != 0, "\(outcome)")
                #expect(!(outcome.output + outcome.errors).contains("s3cret"), "\(command) \(outcome)")
            }
        }
    }

    @Test(arguments: [["b", "s3cret"], ["s3cret"], ["s3cret\nb"], ["b", "c", "s3cret"]])
    func `a header split by the shell is not repeated`(rest: [String]) async throws {
        let outcome = try await Tool.run(["show", "http://127.0.0.1:1/x", "-H", "A:"] + rest)
        #expect(outcome.status == 2 && outcome.errors.contains("a header field is one argument"))
        #expect(outcome.errors.contains("See 'calotype show --help'"))
        #expect(!outcome.errors.contains("s3cret"), "\(outcome)")
    }

    @Test func `a header joined to its option is read`() async throws {
        let outcome = try await Tool.run(
            "load",
            "-HA: b",
            "http://127.0.0.1:1/x",
            "--retry",
            "0",
            "--no-disk"
        )
        #expect(outcome.status == 1, "\(outcome)")
    }

    @Test func `an unknown setting is named without its value`() async throws {
        let outcome = try await Tool.run("serve", "--keys=s3cret", "--print-config")
        #expect(outcome.status == 2 && outcome.errors.contains("--keys"), "\(outcome)")
        #expect(!(outcome.output + outcome.errors).contains("s3cret"))
    }
}
