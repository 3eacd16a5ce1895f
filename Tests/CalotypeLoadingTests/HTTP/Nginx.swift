import CalotypeLoading
import CalotypeTesting
import Foundation
import TestSupport

/// An nginx server over a folder that a test writes to; starting and stopping it blocks.
struct Nginx: Sendable {
    static var isInstalled: Bool { NginxServer.isInstalled }

    /// A folder whose responses are cacheable for a minute.
    static let cached = "/cached/"

    private let folder: ScratchFolder
    private let server: NginxServer

    /// Starts the server; returns when it listens.
    static func start() throws -> Nginx {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + cached,
            withIntermediateDirectories: true
        )
        let locations = "location \(cached) { add_header Cache-Control max-age=60; }"
        return Nginx(folder: folder, server: try NginxServer(folder: folder.path, locations: locations))
    }

    func close() throws {
        try server.stop()
    }

    func write(_ bytes: Data, to name: String, modifiedAt date: Date = Date(timeIntervalSince1970: 1e9))
        throws
    {
        let file = folder.path + name
        try bytes.write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    func url(_ name: String) throws -> URL {
        guard let url = URL(string: name, relativeTo: server.base) else { throw URLError(.badURL) }
        return url.absoluteURL
    }
}

/// Runs a test against nginx, and removes all of its files.
func withNginx(_ body: (Nginx, HTTPDataLoader) async throws -> Void) async throws {
    let nginx = try Nginx.start()
    let loader = HTTPDataLoader(.patient)
    do {
        try await body(nginx, loader)
    } catch {
        await loader.shutdown()
        try nginx.close()
        throw error
    }
    await loader.shutdown()
    try nginx.close()
}
