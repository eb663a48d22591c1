import Testing
@testable import DaybookChains
