internal import CalotypeCache

extension Stages {
    /// Removes everything: entries in memory and in the stores, the known state of origins, and failures.
    func removeAll() async throws {
        sources.encodedMemory.removeAll()
        sources.validations.removeAll()
        failures.removeAll()
        // Again, for values and failures of loads that noticed the removal too late.
        defer {
            sources.encodedMemory.removeAll()
            failures.removeAll()
        }
        try await fromStores {
            try await cache.removeAll()
        } fromPartialStore: {
            try await $0.removeAll()
        }
    }

    /// Removes matching entries and reports each key found, repeatedly if several levels have it.
    ///
    /// - Parameters:
    ///   - keepsFailures: True to keep the failures of the keys in mind.
    ///   - isRemoved: True for keys to remove.
    ///   - onFind: Called with each key found.
    /// - Throws: ``LoadError`` of the stage `store`.
    func removeAll(
        keepsFailures: Bool = false,
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool,
        onFind: @escaping @Sendable (ImageKey) -> Void = { _ in }
    ) async throws {
        let encodedMemory = sources.encodedMemory
        encodedMemory.removeAll { key in
            guard isRemoved(key) else { return false }
            onFind(key)
            return true
        }
        sources.validations.removeAll(where: isRemoved)
        if !keepsFailures { failures.removeAll(where: isRemoved) }
        // Again, for values and failures of loads that noticed the removal too late.
        defer {
            encodedMemory.removeAll(where: isRemoved)
            if !keepsFailures { failures.removeAll(where: isRemoved) }
        }
        try await fromStores {
            try await cache.removeAll(where: isRemoved, onFind: onFind)
        } fromPartialStore: {
            try await $0.removeBlobs { isRemoved(ImageKey($0)) }
        }
    }

    /// Runs both removals, even if one fails, and throws the first failure.
    private func fromStores(
        _ remove: () async throws -> Void,
        fromPartialStore removePartial: (any ByteStore) async throws -> Void
    ) async throws {
        var failures: [any Error] = []
        do { try await remove() } catch { failures.append(error) }
        if let store = configuration.partialStore {
            do { try await removePartial(store) } catch { failures.append(error) }
        }
        if let failure = failures.first { throw LoadError(stage: .store, underlying: failure) }
    }
}

extension ImageKey {
    /// True for the key of a source's original or of one of its variants.
    package func isOf(_ source: String) -> Bool {
        let (key, source) = (rawValue.utf8, source.utf8)
        guard key.starts(with: source) else { return false }
        let rest = key.dropFirst(source.count)
        if rest.isEmpty { return true }
        if source.contains(UInt8(ascii: "#")) { return rest.first == UInt8(ascii: ",") }
        return rest.first == UInt8(ascii: "#") && !rest.starts(with: "#headers=".utf8)
    }
}
