// DaybookLinks
