/// Words that the sources must not contain, and constructs that need a reason beside them.
enum WordRules {
    struct Banned {
        let word: String
        let folders: [String]
        let remedy: String
    }

    static let banned: [Banned] = [
        Banned(word: "try" + "!", folders: ["Sources", "Tests"], remedy: "handle the error or rethrow it"),
        Banned(
            word: "try" + "?",
            folders: ["Sources"],
            remedy: "handle the error; a failure is never swallowed"
        ),
        Banned(word: "TO" + "DO", folders: ["Sources", "Tests"], remedy: "do it now or file an issue"),
        Banned(word: "FIX" + "ME", folders: ["Sources", "Tests"], remedy: "do it now or file an issue"),
        Banned(
            word: "import Foundation" + "Networking",
            folders: ["Sources", "Tests"],
            remedy: "use a DataLoader"
        ),
        Banned(word: "NS" + "Cache", folders: ["Sources"], remedy: "use MemoryCache"),
        Banned(
            word: "Task" + ".sleep",
            folders: ["Sources", "Tests"],
            remedy: "wait for an event, or take a clock"
        ),
        Banned(
            word: "usl" + "eep(",
            folders: ["Sources", "Tests"],
            remedy: "wait for an event, or take a clock"
        ),
        // Private words, each with that of the field.
        Banned(word: "Bo" + "ard", folders: ["Sources/Calotype/"], remedy: "say progress"),
        Banned(word: "Keep" + "ing", folders: ["Sources/Calotype/"], remedy: "say cacheability"),
        Banned(
            word: "Join" + "ing",
            folders: ["Sources/Calotype/"],
            remedy: "say waiter, or what the call gives"
        ),
        Banned(
            word: "Leav" + "ing",
            folders: ["Sources/Calotype/"],
            remedy: "say waiter, or what the call gives"
        ),
        Banned(word: "who look " + "on", folders: ["Sources/"], remedy: "say observer"),
        Banned(word: "Date" + "()", folders: ["Sources"], remedy: "take a TimeSource"),
        Banned(word: "Date" + ".now", folders: ["Sources"], remedy: "take a TimeSource"),
        Banned(word: "fatalError" + "()", folders: ["Sources"], remedy: "throw, or say why it cannot happen"),
    ]

    /// Calls by which a command could overwrite a file of the user.
    private static let fileWriting = [
        "O_" + "CREAT", "create" + "File(", ".write(" + "to: URL", "move" + "Item(", "copy" + "Item(",
    ].map { word in
        let folders = ["Batch", "Commands", "Options", "Output", "Program", "Serve"]
        return Banned(
            word: word,
            folders: folders.map { "Sources/CalotypeCLI/\($0)/" },
            remedy: "use OutputWriter, which loses no file"
        )
    }

    /// Constructs that the compiler does not check.
    static let unchecked = ["@unchecked " + "Sendable", "nonisolated" + "(unsafe)", "unsafe" + "BitCast"]

    static func bannedBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.flatMap { file in
            let rules = (banned + fileWriting).filter { $0.folders.contains(where: file.path.hasPrefix) }
            return file.numberedLines.flatMap { line in
                rules.filter { occurs($0.word, in: line.text) }.map {
                    Breach(path: file.path, line: line.number, remedy: "no \($0.word): \($0.remedy)")
                }
            }
        }
    }

    /// Whether a line contains the word and not only a longer word that ends in it.
    private static func occurs(_ word: String, in line: String) -> Bool {
        line.ranges(of: word).contains { range in
            range.lowerBound == line.startIndex || !line[line.index(before: range.lowerBound)].isLetter
        }
    }

    /// Each unchecked construct has a plain comment in the three lines above it, or on its own line.
    static func uncheckedBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.flatMap { file in
            file.numberedLines.compactMap { line in
                guard let construct = unchecked.first(where: line.text.contains), !isComment(line.text) else {
                    return nil
                }
                let above = file.lines[max(0, line.number - 4)..<line.number - 1]
                guard !above.contains(where: isReason), !line.text.contains(" // ") else { return nil }
                return Breach(
                    path: file.path,
                    line: line.number,
                    remedy: "\(construct) needs a comment with its reason right above it"
                )
            }
        }
    }

    private static func isComment(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }

    private static func isReason(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("//") && !text.hasPrefix("///")
    }
}
