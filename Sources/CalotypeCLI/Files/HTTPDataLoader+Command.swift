import Calotype

extension HTTPDataLoader.Configuration {
    /// How the command loads: through the proxy that the environment names, as people expect of `curl`.
    static var ofCommand: HTTPDataLoader.Configuration {
        var configuration = HTTPDataLoader.Configuration()
        configuration.usesEnvironmentProxies = true
        return configuration
    }
}
