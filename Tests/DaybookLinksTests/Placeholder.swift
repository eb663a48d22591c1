import Testing
@testable import DaybookLinks
