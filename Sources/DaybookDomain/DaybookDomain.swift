// DaybookDomain
