import CalotypeTesting
import Foundation
import TestSupport

/// A self-signed certificate, created for one test by the program `openssl`.
struct TestCertificate {
    struct Failure: Error {
        let command: [String]
    }

    let certificate: Data
    /// The paths of the certificate and its key, which exist as long as a copy of this value.
    var files: (certificate: String, key: String) {
        (scratch.path + "/certificate.pem", scratch.path + "/key.pem")
    }

    private let scratch: ScratchFolder

    /// Creates a certificate for names such as `DNS:localhost` and `IP:127.0.0.1`.
    init(for names: String = "IP:127.0.0.1,IP:::1,DNS:localhost", isExpired: Bool = false) throws {
        scratch = try ScratchFolder()
        let folder = URL(filePath: scratch.path)
        let key = [
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem",
        ]
        let subject = ["-subj", "/CN=Calotype", "-addext", "subjectAltName=\(names)"]
        if isExpired {
            // Among the openssl commands only this one accepts a date in the past.
            let settings = """
                [ca]
                default_ca = c
                [c]
                database = index
                serial = serial
                new_certs_dir = .
                default_md = sha256
                policy = p
                copy_extensions = copy
                [p]
                commonName = supplied
                """
            try Data(settings.utf8).write(to: folder.appending(path: "settings"))
            try Data().write(to: folder.appending(path: "index"))
            try Data("01\n".utf8).write(to: folder.appending(path: "serial"))
            try Self.run(["req", "-new", "-out", "request.pem"] + key + subject, in: folder)
            let dates = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"]
            let files = ["-keyfile", "key.pem", "-in", "request.pem", "-out", "certificate.pem", "-notext"]
            try Self.run(["ca", "-batch", "-selfsign", "-config", "settings"] + files + dates, in: folder)
        } else {
            try Self.run(
                ["req", "-x509", "-days", "2", "-out", "certificate.pem"] + key + subject,
                in: folder
            )
        }
        certificate = try Data(contentsOf: folder.appending(path: "certificate.pem"))
    }

    private static func run(_ arguments: [String], in folder: URL) throws {
        guard
            let program = ServerProcess.find("openssl"),
            try ServerProcess.run(program, arguments, in: folder.path) == 0
        else { throw Failure(command: arguments) }
    }
}
