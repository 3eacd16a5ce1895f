import Calotype
package import CalotypeServer

extension ImageService.Configuration {
    /// The defaults, with timeouts for a machine that runs every test at the same time.
    package static var patient: Self {
        var configuration = Self()
        configuration.timeout = .seconds(600)
        configuration.limits.maxDuration = .seconds(600)
        return configuration
    }
}
