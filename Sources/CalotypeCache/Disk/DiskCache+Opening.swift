import CalotypeCore
import CalotypeSupport
import FoundationEssentials
import Glibc

/// Opening a directory and walking through it; all of it blocks.
extension DiskCache {
    private static let sizeLimitMax = 1 << 30
    private static let sizeLimitMin = 64 << 20
    private static let settingsByteCountMax = 4096

    /// Finds the rules, clears what dead writers left, and lets the entries be counted.
    ///
    /// Never fails: a directory that cannot be used fully is used as far as it can be.
    func openDirectory() {
        loadRules()
        sweepAbandonedFiles()
        lookForNeighbours()
        count()
    }

    /// Lets all entries be counted, anew where they have been.
    func count() {
        state.withLock { $0.walk.begin() }
        maintain()
    }

    /// Writes the configuration's settings into the directory, or takes the directory's own.
    func loadRules() {
        var problem: FileError?
        var settings = configuration.settings
        do throws(FileError) {
            if let settings {
                try writeSettings(settings)
            } else {
                settings = try readSettings()
            }
        } catch {
            problem = error
        }
        let rules = rules(for: settings ?? DiskSettings())
        let openingError = problem.map { DiskCacheError($0, path: layout.base) }
        front.withLock { front in
            front.rules = rules
            front.openingError = openingError
        }
    }

    /// Writes rules into the directory and puts them in force; what is too much then leaves in the background.
    func put(_ settings: DiskSettings) throws(DiskCacheError) {
        do {
            try writeSettings(settings)
        } catch {
            throw DiskCacheError(error, path: layout.settings)
        }
        var rules = rules(for: settings)
        rules.settleDefault(byteCount: state.withLock { $0.usage.byteCount })
        front.withLock { $0.rules = rules }
        state.withLock { [rules] state in state.owesEviction = state.owesEviction || state.isExceeded(rules) }
    }

    private func rules(for settings: DiskSettings) -> DiskRules {
        DiskRules(
            sizeLimit: settings.sizeLimit ?? Self.sizeLimitMax,
            countLimit: settings.countLimit ?? .max,
            expiry: settings.expiry,
            pendingDefault: settings.sizeLimit == nil ? defaultSizeLimit() : nil
        )
    }

    /// A tenth of what is free, but 64 MiB at least and 1 GiB at most.
    private func defaultSizeLimit() -> Int {
        var folder: String? = layout.base
        while let path = folder {
            do {
                let share = try fileSystem.freeByteCount(at: path) / 10
                return min(Self.sizeLimitMax, max(Self.sizeLimitMin, share))
            } catch  where error.isAbsence {
                folder = path.parentFolder
            } catch {
                break
            }
        }
        return Self.sizeLimitMax
    }

    private func sweepAbandonedFiles() {
        do {
            let count = try sweep.run()
            front.withLock { $0.statistics.sweptFileCount += count }
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }
}

/// The rules a directory keeps for itself.
extension DiskCache {
    /// The settings in the directory; `nil` where there are none, or none that make sense.
    private func readSettings() throws(FileError) -> DiskSettings? {
        try readText(layout.settings).flatMap(DiskSettings.init(text:))
    }

    /// The text of a small file; `nil` where there is none, or it is no text.
    func readText(_ path: String) throws(FileError) -> String? {
        let file: FileDescriptor
        do {
            file = try fileSystem.open(path, as: .read)
        } catch  where error.isAbsence {
            return nil
        }
        defer { fileSystem.closeAfterFailure(file) }
        var bytes = [UInt8](repeating: 0, count: Self.settingsByteCountMax)
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try unsafe fileSystem.read(file, into: buffer, at: 0) }
        }
        return String(validating: bytes.prefix(try result.get()), as: UTF8.self)
    }

    /// Makes the directory where it is missing, and writes the settings into it.
    private func writeSettings(_ settings: DiskSettings) throws(FileError) {
        if try readSettings() == settings { return }
        try folder.replaceFile(at: layout.settings, with: settings.text)
    }
}

extension DiskCacheError {
    /// Whether a directory with this problem can still be read from.
    var leavesReading: Bool { [.readOnly, .permissionDenied, .diskFull].contains(code) }
}
