extension Locked {
    /// True if all required locks hold.
    ///
    /// Landlock is optional: seccomp already blocks calls that open files.
    var isWhole: Bool { seccomp && limits }

    /// True if an SVG worker can open fonts: seccomp allows opening files only if Landlock is in force.
    var readsFonts: Bool { landlock > 0 || !seccomp }

    /// The missing locks with their consequences, one per line.
    var warnings: [String] {
        let locks = "codec workers are not fully sandboxed (\(text)): allow seccomp"
        let fonts = "SVG text is drawn as boxes: without Landlock in the kernel, fonts cannot be opened"
        return (isWhole ? [] : [locks]) + (readsFonts ? [] : [fonts])
    }

    /// The locks in force, on one line.
    var text: String {
        let files = landlock > 0 ? "Landlock \(landlock)" : "no Landlock"
        let calls = seccomp ? "seccomp" : "no seccomp"
        return [calls, files, limits ? "limits" : "no limits"].joined(separator: ", ")
            + (failure.isEmpty ? "" : " (\(failure))")
    }
}
