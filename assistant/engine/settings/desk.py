"""Answers requests for settings, whoever asks."""

from typing import get_args

from assistant.core.configuration.catalogue import Setting, single_settings
from assistant.core.configuration.values import json_value, value_from_json
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.requests import settings as rq
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.serving.table import Domain, serves
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.options import SettingOptions
from assistant.host.settings_file import settings_trouble
from assistant.host.texts import load_texts


class SettingsDesk(Domain):
    """Carries out the requests of ``core/service/requests/settings.py``.

    Args:
        keeper: changes the settings.
        texts: the user's words.
        options: lists what settings can name.
    """

    def __init__(self, keeper: SettingsKeeper, texts: Texts, options: SettingOptions) -> None:
        self._keeper, self._texts, self._options = keeper, texts, options

    @serves()
    async def _list_settings(self, _: rq.ListSettings) -> rq.SettingsList:
        await self._keeper.look()
        return rq.SettingsList(settings=tuple(map(self._shown, single_settings().values())), fault=self._fault())

    @serves()
    async def _get_setting(self, request: rq.GetSetting) -> rq.SettingShown:
        """One setting, once a change in the file is in force or has failed, or after a moment.

        Raises:
            SoriError: there is no such setting.
        """
        await self._keeper.look()
        await self._keeper.applied(request.name)
        return self._shown(_known(request.name))

    @serves()
    async def _list_options(self, request: rq.ListOptions) -> tuple[rq.SettingOption, ...]:
        return await self._options.of(_known(request.name).declared.refers)

    @serves(lane="settings")
    async def _set_setting(self, request: rq.SetSetting) -> rq.SettingShown:
        """Change a setting.

        Raises:
            SettingsError: the value is not possible, or the file is invalid; it stays as it is.
            SoriError: there is no such setting, or the file cannot be written.
        """
        setting = _known(request.name)
        await self._keeper.set(setting.name, value_from_json(setting, request.value))
        return self._shown(setting)

    @serves(lane="settings")
    async def _reset_setting(self, request: rq.ResetSetting) -> rq.SettingShown:
        setting = _known(request.name)
        await self._keeper.set(setting.name, None)
        return self._shown(setting)

    def _shown(self, setting: Setting) -> rq.SettingShown:
        declared = setting.declared
        return rq.SettingShown(
            name=setting.name,
            section=setting.section,
            title=self._texts(setting.title_key),
            help=self._texts(setting.help_key),
            elsewhere=self._elsewhere(setting),
            kind=setting.kind,
            value="" if declared.secret else json_value(self._keeper.written(setting)),
            in_force="" if declared.secret else json_value(self._keeper.in_force(setting)),
            trouble=self._keeper.trouble(setting),
            default=json_value(setting.default),
            choices=setting.choices,
            choice_titles=tuple(self._choice(setting, each) for each in setting.choices),
            refers=declared.refers,
            unit=declared.unit,
            longest=declared.longest,
            secret=declared.secret,
            low=declared.low,
            high=declared.high,
            acts=declared.acts,
            tool=declared.tool,
            leaves=declared.leaves,
            travels=declared.travels,
            expert=declared.expert,
        )

    def _choice(self, setting: Setting, choice: str) -> str:
        key = f"setting_choice.{setting.name}.{choice}"
        return self._texts(key) if key in self._texts else choice

    def _elsewhere(self, setting: Setting) -> str:
        others = (load_texts(each) for each in get_args(Language) if each != self._texts.language)
        return " ".join(each(key) for each in others for key in (setting.title_key, setting.help_key))

    def _fault(self) -> rq.SettingsFault | None:
        error = self._keeper.fault
        if error is None:
            return None
        problem, remedy = settings_trouble(error, self._texts)
        return rq.SettingsFault(path=str(self._keeper.config), line=error.line, problem=problem, remedy=remedy)


def _known(name: str) -> Setting:
    """The setting of a name.

    Raises:
        SoriError: there is none that is one value.
    """
    if (found := single_settings().get(name)) is not None:
        return found
    values = {"name": name, "near": "sori settings list --all"}
    raise SoriError(ErrorCode.SETTINGS, f"there is no setting {name!r}", message_key="setting_unknown", values=values)
