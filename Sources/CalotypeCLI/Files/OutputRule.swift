/// The rule for all files that a command writes: an input is never overwritten, and another file only on
/// request.
///
/// It decides by the existing file and has no side effects; ``OutputWriter`` carries it out.
struct OutputRule: Sendable {
    /// The file at a path.
    enum Existing: Hashable, Sendable {
        case nothing
        case regular(FileIdentity, isWritable: Bool)
        /// A pipe or a device: writing to it replaces nothing. Only a pipe has an identity here.
        case stream(FileIdentity?)
        case folder
        case blockDevice
        /// A symbolic link whose target cannot be reached.
        case danglingLink(to: String)
    }

    /// The action that writes a file.
    enum Action: Hashable, Sendable {
        /// Create it; the system fails if a file appears meanwhile.
        case create
        case replace
        /// Write to the existing pipe or device.
        case writeThrough
        /// Nothing: this run has already written the same image there.
        case none
    }

    /// An output: the path as typed, and the same location without links in its folder.
    struct Target: Hashable, Sendable {
        let path: String
        let location: String
        let existing: Existing
    }

    /// Whether existing files may be replaced.
    let overwrites: Bool
    private var inputs: Set<FileIdentity> = []
    // By bytes: two normal forms of one name are equal texts, and two files.
    private var inputLocations: Set<[UInt8]> = []
    private var sources: [[UInt8]: [UInt8]] = [:]
    private var outputs: Set<FileIdentity> = []

    init(overwrites: Bool = false) {
        self.overwrites = overwrites
    }

    /// Protects an input: by its identity, and by its location, where editors may save it anew.
    mutating func protect(_ location: String?, _ identity: FileIdentity?) {
        if let location { inputLocations.insert(PathBytes.bytes(of: location)) }
        if let identity { inputs.insert(identity) }
    }

    /// Records a file that the run has written.
    mutating func noteOutput(_ location: String, _ identity: FileIdentity?, of source: String) {
        sources[PathBytes.bytes(of: location)] = PathBytes.bytes(of: source)
        if let identity { outputs.insert(identity) }
    }

    /// Returns the action for an output.
    ///
    /// - Parameters:
    ///   - target: The output, with the existing file.
    ///   - source: The identity of the written image; the same image may be written to one location twice.
    /// - Returns: The action.
    /// - Throws: ``CommandError`` with `isInput`, `exists`, `nameClash` or `notWritable`.
    func action(for target: Target, of source: String) throws(CommandError) -> Action {
        guard !target.path.hasSuffix("/") else {
            throw refusal(target, "it ends with “/” like a folder, but the result is one file")
        }
        try refuseInput(target)
        if let other = sources[PathBytes.bytes(of: target.location)] {
            guard other != PathBytes.bytes(of: source) else { return .none }
            throw clash(target)
        }
        switch target.existing {
        case .nothing:
            return .create
        case .stream:
            return .writeThrough
        case .regular(let identity, let isWritable):
            // Another spelling of an output, on a file system that ignores case.
            guard !outputs.contains(identity) else { throw clash(target) }
            guard overwrites else {
                throw CommandError(.exists, detail: "\(target.path) exists; --overwrite replaces it")
            }
            guard isWritable else { throw refusal(target, "it is write-protected") }
            return .replace
        case .folder:
            throw refusal(target, "it is a folder")
        case .blockDevice:
            throw refusal(target, "it is a block device")
        case .danglingLink(let other):
            throw refusal(target, OutputFile.danglingLink(to: other))
        }
    }

    /// Rejects an output that is an input.
    ///
    /// - Throws: ``CommandError`` with `isInput`.
    func refuseInput(_ target: Target) throws(CommandError) {
        guard isInput(target) else { return }
        throw CommandError(
            .isInput,
            detail: "\(target.path) is an input of this command, and inputs are never overwritten; "
                + "name another output"
        )
    }

    private func isInput(_ target: Target) -> Bool {
        if inputLocations.contains(PathBytes.bytes(of: target.location)) {
            // A terminal or `/dev/null` may be read and written.
            guard case .stream = target.existing else { return true }
        }
        return target.identity.map(inputs.contains) ?? false
    }

    private func clash(_ target: Target) -> CommandError {
        CommandError(
            .nameClash,
            detail: "\(target.path) is already the output of another image of this command"
        )
    }

    private func refusal(_ target: Target, _ reason: String) -> CommandError {
        CommandError(.notWritable, detail: "cannot write \(target.path): \(reason)")
    }
}

extension OutputRule.Target {
    /// The identity of the existing file, if it could be an input.
    fileprivate var identity: FileIdentity? {
        switch existing {
        case .regular(let identity, _): identity
        case .stream(let identity): identity
        default: nil
        }
    }
}
