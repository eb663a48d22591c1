import Testing
@testable import DaybookCrypto
