// libyaml as Swift sees it.
#ifndef BGFETCH_CLIBYAML_H
#define BGFETCH_CLIBYAML_H
#include <yaml.h>
#endif
