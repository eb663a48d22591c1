import Testing
@testable import DaybookDomain
