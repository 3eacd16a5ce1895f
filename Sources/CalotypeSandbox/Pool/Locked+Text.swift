extension Locked {
    /// Whether all is locked that must be: without Landlock there is still no call that reaches a file.
    var isWhole: Bool { seccomp && limits }

    /// Whether a worker that draws can open fonts: the filter of calls lets it only behind Landlock.
    var readsFonts: Bool { landlock > 0 || !seccomp }

    /// The locks that the system lacks, with their consequence, a line each.
    var warnings: [String] {
        let locks = "codec workers are not fully sandboxed (\(text)): allow seccomp"
        let fonts = "SVG text is drawn as boxes: without Landlock in the kernel, fonts cannot be opened"
        return (isWhole ? [] : [locks]) + (readsFonts ? [] : [fonts])
    }

    /// The locks that hold, on one line.
    var text: String {
        let files = landlock > 0 ? "Landlock \(landlock)" : "no Landlock"
        let calls = seccomp ? "seccomp" : "no seccomp"
        return [calls, files, limits ? "limits" : "no limits"].joined(separator: ", ")
            + (failure.isEmpty ? "" : " (\(failure))")
    }
}
