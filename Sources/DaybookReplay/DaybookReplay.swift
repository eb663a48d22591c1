// DaybookReplay
